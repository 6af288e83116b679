// RUN: check --target sm_90 --isa 8.0
#pragma once
#ifndef PTXCVT_HEADER
#define PTXCVT_HEADER
namespace detail {
template <class T> struct identity { using type = T; };
inline __device__ unsigned half2(float a, float b) {
  unsigned d;
  __asm__ __volatile__("cvt.rn.f16x2.f32 %0, %1, %2;\n" : "=r"(d) : "f"(a), "f"(b) :);
  __asm__("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(a), "f"(b));
  __asm("cvt.rn.f16x2.f32 %0, %1;" : "=r"(d) : "f"(a));
  asm inline("cvt.rz.bf16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(a), "f"(b));
  asm("cvt.rzi.u32.f32 %0, %1;":"=r"(d):"f"(a));
  asm("cvt.rzi.sat.u32.f32 %0, %1;":"=r"(d):"f"(a));
  asm("cvt.rzi.u32.f32 %0, %1;":"=r"(d):"f"(identity<float>::type(a ? (b) : a)));
  asm("cvt.rzi.u32.f64 %0, %1;":"=r"(d):"f"(a));
  asm("cvt.rn.f32.f16 %0, %1;":"=r"(d):"h"((unsigned short)d));
  asm("cvt.f32.f16 %0, %1;":"=r"(d):"h"((unsigned short)d));
  return d;
}
}  // namespace detail
#endif
