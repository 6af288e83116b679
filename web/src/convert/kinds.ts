// What a conversion can be copied as: the label, and the name in links and in the library's answers.
export const KINDS = [["PTX", "ptx"], ["C++", "cpp"], ["Rust", "rust"], ["Python", "python"], ["Command", "command"]] as const;
