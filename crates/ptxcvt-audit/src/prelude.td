// The classes of LLVM's llvm/Target/Target.td and llvm/Target/TargetSelectionDAG.td as far as the audit needs them, for
// folders without these files. Files that are read define them again.

class Predicate<string cond> { string CondString = cond; }
class Requires<list<Predicate> preds> { list<Predicate> Predicates = preds; }
class Instruction {
  string AsmString = "";
  list<Predicate> Predicates = [];
  list<dag> Pattern = [];
}
class Pattern<dag pattern, list<dag> results> {
  dag PatternToMatch = pattern;
  list<dag> ResultInstrs = results;
  list<Predicate> Predicates = [];
}
class Pat<dag pattern, dag result> : Pattern<pattern, [result]>;
class PatLeaf<dag fragment> { list<dag> Fragments = [fragment]; }
class Intrinsic;
class SubtargetFeature<string name, string field, string value, string text, list<SubtargetFeature> implies = []> {
  string Name = name;
  string FieldName = field;
  string Value = value;
  list<SubtargetFeature> Implies = implies;
}
class Processor<string name, ProcessorItineraries itineraries, list<SubtargetFeature> features> {
  string Name = name;
  list<SubtargetFeature> Features = features;
}
class ProcessorAlias<string name, string processor> {
  string Name = name;
  string Alias = processor;
}
