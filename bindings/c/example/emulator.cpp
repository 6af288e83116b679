// A GPU emulator's use of ptxcvt: instructions are decoded once, then run warp by warp over a file of registers.
//
// It ends with 0 if every result is what a B200 returned, and prints what one conversion costs.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ptxcvt.h"

namespace {

// Ends the program on an error. An emulator would report the error with the instruction's place.
void expect(bool right, const std::string &what) {
  if (!right) {
    std::fprintf(stderr, "wrong: %s\n", what.c_str());
    std::exit(1);
  }
}

// A decoded instruction: a handle instead of an opcode, register numbers instead of names.
struct Instruction {
  ptxcvt_form_t form;
  unsigned destination;
  std::vector<unsigned> sources;

  Instruction(const char *opcode, unsigned destination, std::vector<unsigned> sources)
      : destination(destination), sources(std::move(sources)) {
    ptxcvt_message why;
    if (ptxcvt_form(opcode, &form, &why) != PTXCVT_STATUS_OK) {
      throw std::invalid_argument(std::string(why.code) + ": " + why.text);
    }
    expect(ptxcvt_operand_count(form) == this->sources.size(), "operands of " + std::string(opcode));
  }
};

constexpr unsigned kWarp = 32;

// Registers of a warp: register r of thread t is bits[r][t].
struct Registers {
  std::vector<uint64_t> bits;
  explicit Registers(unsigned count) : bits(count * kWarp) {}
  uint64_t *operator[](unsigned r) { return &bits[r * kWarp]; }
};

void step(const Instruction &instruction, Registers &registers, uint32_t active) {
  uint64_t operands[5 * kWarp];
  for (size_t k = 0; k < instruction.sources.size(); k++) {
    std::memcpy(operands + k * kWarp, registers[instruction.sources[k]], kWarp * sizeof(uint64_t));
  }
  const ptxcvt_status status = ptxcvt_warp(instruction.form, operands, instruction.sources.size(), active,
                                           registers[instruction.destination]);
  expect(status == PTXCVT_STATUS_OK, "a step");
}

uint64_t bits_of(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

void warps() {
  // Converts pairs to e4m3 and back, in threads with an even number.
  const std::vector<Instruction> program = {
      Instruction("cvt.rn.satfinite.e4m3x2.f32", 2, {0, 1}),
      Instruction("cvt.rn.f16x2.e4m3x2", 3, {2}),
  };
  Registers registers(4);
  for (unsigned t = 0; t < kWarp; t++) {
    registers[0][t] = bits_of(1.55f);
    registers[1][t] = bits_of(-999.0f);
    registers[2][t] = registers[3][t] = 0xdead;
  }
  const uint32_t even = 0x55555555;
  for (const Instruction &instruction : program) step(instruction, registers, even);
  for (unsigned t = 0; t < kWarp; t++) {
    const bool active = even >> t & 1;
    expect(registers[2][t] == (active ? 0x3cfe : 0xdead), "e4m3x2 of a thread");
    expect(registers[3][t] == (active ? 0x3e00df00 : 0xdead), "f16x2 of a thread");
  }
}

// The environment variable PTXCVT_TIER selects the kernels of all forms when the first handle is asked for.
void tiers() {
  setenv("PTXCVT_TIER", "none", 1);
  ptxcvt_form_t form;
  ptxcvt_message why;
  expect(ptxcvt_form("cvt.rn.f16.f32", &form, &why) == PTXCVT_STATUS_BAD_ARGUMENT, "an unknown tier");
  expect(std::string(why.code) == "CVT026" && form == 0, "the code of an unknown tier");
  unsetenv("PTXCVT_TIER");
}

void arrays() {
  ptxcvt_form_t form;
  expect(ptxcvt_form("cvt.rn.satfinite.e4m3x2.f32", &form, nullptr) == PTXCVT_STATUS_OK, "a form");
  const float elements[] = {1.0f, 1.5f, -500.0f};
  uint8_t codes[3];
  expect(ptxcvt_elements(form, elements, 3, nullptr, codes) == PTXCVT_STATUS_OK, "an odd number of elements");
  expect(codes[0] == 0x38 && codes[1] == 0x3c && codes[2] == 0xfe, "elements");
  const float upper[] = {1.5f, 0.0f};
  const ptxcvt_column columns[] = {{upper, 0, 0}, {nullptr, bits_of(1.0f), 0}};
  uint16_t registers[2];
  expect(ptxcvt_columns(form, columns, 2, 2, registers) == PTXCVT_STATUS_OK, "columns");
  expect(registers[0] == 0x3c38 && registers[1] == 0x0038, "registers");
  expect(ptxcvt_columns(form, columns, 1, 2, registers) == PTXCVT_STATUS_OPERAND_COUNT, "a missing column");
  // Stochastic rounding from a seed.
  expect(ptxcvt_form("cvt.rs.satfinite.e2m1x4.f32", &form, nullptr) == PTXCVT_STATUS_OK, "a form with rbits");
  const std::vector<float> many(4096, 0.3f);
  std::vector<uint8_t> packed(2048);
  const ptxcvt_column seed = {nullptr, 7, 1};
  expect(ptxcvt_elements(form, many.data(), many.size(), &seed, packed.data()) == PTXCVT_STATUS_OK, "a seed");
  size_t up = 0;
  for (uint8_t byte : packed) up += ((byte & 15) == 1) + (byte >> 4 == 1);
  // 0.3 is three fifths of the way from 0 to 0.5.
  expect(up > 2300 && up < 2600, "stochastic rounding");
  expect(ptxcvt_elements(form, many.data(), 3, &seed, packed.data()) == PTXCVT_STATUS_ARRAY_SHAPE, "half a byte");
  expect(ptxcvt_elements(form, many.data(), 4, nullptr, packed.data()) == PTXCVT_STATUS_OPERAND_COUNT, "no rbits");
}

void legality() {
  ptxcvt_message why;
  expect(ptxcvt_judge("cvt.rn.satfinite.e4m3x2.f32", "sm_89", "8.1", &why) == PTXCVT_STATUS_OK, "sm_89");
  expect(ptxcvt_judge("cvt.rn.satfinite.e4m3x2.f32", "sm_80", "8.1", &why) == PTXCVT_STATUS_ILLEGAL, "sm_80");
  expect(std::strcmp(why.code, "CVT011") == 0 && why.text[0] != 0, "why not on sm_80");
  expect(ptxcvt_judge("cvt.rn.f16.f32", "sm_90", "7.0", &why) == PTXCVT_STATUS_ILLEGAL, "ISA 7.0 has no sm_90");
  expect(std::strcmp(why.code, "CVT012") == 0 && std::strstr(why.text, "sm_90") != nullptr, "why not at ISA 7.0");
  expect(ptxcvt_judge("cvt.rn.f16.f32", "sm_0", nullptr, &why) == PTXCVT_STATUS_BAD_ARGUMENT, "no such target");
  expect(std::strcmp(why.code, "CVT023") == 0 && std::strstr(why.text, "sm_0") != nullptr, "why no such target");
  expect(ptxcvt_judge("cvt.rn.f16.f32", nullptr, "7.9", &why) == PTXCVT_STATUS_BAD_ARGUMENT, "no such version");
  expect(std::strstr(why.text, "7.9") != nullptr, "why no such version");
  ptxcvt_form_t form;
  expect(ptxcvt_form("cvt.e4m3x2.f32", &form, &why) == PTXCVT_STATUS_ILLEGAL && form == 0, "no form");
  expect(std::strcmp(why.code, "CVT006") == 0, "its code");
  expect(std::strstr(why.help, "cvt.rn.satfinite.e4m3x2.f32") != nullptr, "its help");
  uint64_t result = 0;
  expect(ptxcvt_eval(form, &result, 1, &result) == PTXCVT_STATUS_BAD_FORM, "no handle");
  expect(ptxcvt_eval(1u << 30, &result, 1, &result) == PTXCVT_STATUS_BAD_FORM, "an unknown handle");
  expect(ptxcvt_form(nullptr, &form, &why) == PTXCVT_STATUS_BAD_ARGUMENT, "no opcode");
  expect(ptxcvt_form("cvt.rn.f16.f32", &form, nullptr) == PTXCVT_STATUS_OK, "a form");
  expect(ptxcvt_eval(form, &result, 2, &result) == PTXCVT_STATUS_OPERAND_COUNT, "too many operands");
  ptxcvt_version since;
  expect(ptxcvt_since(form, "sm_53", &since, nullptr) == PTXCVT_STATUS_OK && since.major > 0, "a version");
  expect(ptxcvt_since(form, "sm_90A", &since, &why) == PTXCVT_STATUS_BAD_ARGUMENT, "no such target");
  expect(std::strstr(why.text, "sm_90A") != nullptr, "why no such target");
  expect(ptxcvt_since(0, "sm_53", &since, nullptr) == PTXCVT_STATUS_BAD_FORM, "no handle");
  expect(ptxcvt_since(form, "sm_53", nullptr, nullptr) == PTXCVT_STATUS_BAD_ARGUMENT, "nowhere to write to");
  char name[8];
  expect(ptxcvt_name(form, name, sizeof name) == 14 && std::strcmp(name, "cvt.rn.") == 0, "a name, cut");
}

// Evaluates every line of recorded results: "opcode operand… result", in hexadecimal.
size_t recorded(const char *path) {
  std::FILE *file = std::fopen(path, "r");
  expect(file != nullptr, path);
  char line[512];
  size_t lines = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    std::vector<std::string> words;
    for (char *word = std::strtok(line, "\t\n "); word != nullptr; word = std::strtok(nullptr, "\t\n ")) {
      words.emplace_back(word);
    }
    if (words.size() < 3 || words[0].rfind("cvt.", 0) != 0) continue;
    std::vector<uint64_t> numbers;
    for (size_t i = 1; i < words.size(); i++) numbers.push_back(std::strtoull(words[i].c_str(), nullptr, 16));
    const uint64_t expected = numbers.back();
    numbers.pop_back();
    ptxcvt_form_t form;
    ptxcvt_message why;
    expect(ptxcvt_form(words[0].c_str(), &form, &why) == PTXCVT_STATUS_OK, words[0] + ": " + why.text);
    uint64_t result = 0;
    const ptxcvt_status status = ptxcvt_eval(form, numbers.data(), numbers.size(), &result);
    expect(status == PTXCVT_STATUS_OK && result == expected, "a recorded result of " + words[0]);
    lines++;
  }
  std::fclose(file);
  return lines;
}

void threads() {
  std::atomic<unsigned> done{0};
  std::vector<std::thread> all;
  for (int i = 0; i < 8; i++) {
    all.emplace_back([&done] {
      warps();
      legality();
      done++;
    });
  }
  for (std::thread &one : all) one.join();
  expect(done == 8, "threads");
}

void speed(const char *opcode) {
  ptxcvt_form_t form;
  expect(ptxcvt_form(opcode, &form, nullptr) == PTXCVT_STATUS_OK, opcode);
  const size_t count = ptxcvt_operand_count(form);
  std::vector<uint64_t> operands(count * kWarp);
  for (size_t i = 0; i < operands.size(); i++) operands[i] = bits_of(0.37f * static_cast<float>(i) - 3.0f);
  uint64_t result[kWarp] = {}, sum = 0;
  const int rounds = 200000;
  double best[2] = {1e9, 1e9};
  for (int repeat = 0; repeat < 5; repeat++) {
    for (int whole = 0; whole < 2; whole++) {
      // Processor time is independent of other work on the machine.
      const std::clock_t start = std::clock();
      for (int i = 0; i < (whole ? rounds / 8 : rounds); i++) {
        operands[i % operands.size()] ^= 1u << 7;
        if (whole) {
          ptxcvt_warp(form, operands.data(), count, ~0u, result);
        } else {
          ptxcvt_eval(form, operands.data(), count, result);
        }
        sum += result[0];
      }
      const double taken = 1e9 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      const double each = taken / (whole ? rounds / 8 : rounds);
      if (each < best[whole]) best[whole] = each;
    }
  }
  std::printf("%-34s %6.1f ns a conversion, %6.1f ns a warp (%llx)\n", opcode, best[0], best[1],
              static_cast<unsigned long long>(sum & 0xf));
}

}  // namespace

int main(int argc, char **argv) {
  tiers();
  warps();
  arrays();
  legality();
  threads();
  try {
    Instruction("cvt.rn.e4m3x2.f32", 0, {0, 1});
    expect(false, "an illegal opcode was decoded");
  } catch (const std::invalid_argument &error) {
    expect(std::strncmp(error.what(), "CVT008", 6) == 0, error.what());
  }
  if (argc > 1) std::printf("%zu recorded results agree\n", recorded(argv[1]));
  for (const char *opcode : {"cvt.rn.f16.f32", "cvt.rn.satfinite.e4m3x2.f32", "cvt.f32.f16", "cvt.rzi.s32.f32"}) {
    speed(opcode);
  }
  return 0;
}
