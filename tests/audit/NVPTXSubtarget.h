// Conditions of the small backend.
class NVPTXSubtarget {
  unsigned getSmVersion() const { return FullSmVersion / 10; }
  bool hasFP8() const { return SmVersion >= 89 && PTXVersion >= 81; }
};
