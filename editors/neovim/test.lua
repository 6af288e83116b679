-- Tests Neovim with ptxcvt.lua: findings while typing, a fix, hover, completion.
-- `nvim --headless -u NONE -l editors/neovim/test.lua FOLDER`, with `ptxcvt` on the path; FOLDER is for files.
local folder = arg[1]
vim.cmd("filetype plugin on")
dofile(vim.fs.dirname(arg[0]) .. "/ptxcvt.lua")

local function expect(what, condition)
  if not condition then
    io.stderr:write("failed: " .. what .. "\n")
    for _, found in ipairs(vim.diagnostic.get(0)) do
      io.stderr:write(vim.inspect(found) .. "\n")
    end
    os.exit(1)
  end
end

-- Opens a file and waits for the server.
local function open(name, text)
  local path = folder .. "/" .. name
  vim.fn.writefile(vim.split(text, "\n"), path)
  vim.cmd.edit(path)
  expect("a server for " .. name, vim.wait(20000, function()
    return #vim.lsp.get_clients({ bufnr = 0, name = "ptxcvt" }) == 1
  end))
end

local function found(count)
  return vim.wait(20000, function()
    return #vim.diagnostic.get(0) == count
  end)
end

local function ask(method, line, column, more)
  local params = vim.tbl_extend("force", {
    textDocument = { uri = vim.uri_from_bufnr(0) },
    position = { line = line, character = column },
  }, more or {})
  local answers = vim.lsp.buf_request_sync(0, method, params, 20000)
  local _, answer = next(answers or {})
  expect(method .. " answered", answer and not answer.err)
  return answer.result
end

-- Tests the finding, its place after characters of several bytes, its fix, and that no finding is left.
local function mend(name, text, line, column)
  open(name, text)
  expect("one finding in " .. name, found(1))
  local finding = vim.diagnostic.get(0)[1]
  expect("CVT008", finding.code == "CVT008" and finding.source == "ptxcvt")
  -- Neovim counts bytes here.
  expect("its place in " .. name, finding.lnum == line and finding.col == column)
  local range = { start = { line = line, character = 0 }, ["end"] = { line = line, character = 40 } }
  local actions = ask("textDocument/codeAction", line, 0, {
    range = range,
    context = { diagnostics = {}, only = { "quickfix" } },
  })
  expect("one preferred fix", #actions == 1 and actions[1].isPreferred)
  local client = vim.lsp.get_clients({ bufnr = 0 })[1]
  vim.lsp.util.apply_workspace_edit(actions[1].edit, client.offset_encoding)
  expect("none left in " .. name, found(0))
  expect("fixed text", vim.api.nvim_buf_get_lines(0, line, line + 1, true)[1]:find("cvt.rn.satfinite.e4m3x2.f32", 1, true))
  -- Hover on the fixed opcode.
  local hover = ask("textDocument/hover", line, 30)
  expect("a hover", hover and hover.contents.value:find("d, a, b;", 1, true))
end

local module = table.concat({
  "// π 𝄞",
  ".version 9.1",
  ".target sm_90",
  ".entry k {",
  "  .reg .b16 h; .reg .f32 f;",
  "  /* 𝄞 é */ cvt.rn.e4m3x2.f32 h, f, f;",
  "}",
}, "\n")
mend("module.ptx", module, 5, 16)
expect("comments", vim.bo.commentstring == "// %s")

-- Typing with keys: an error appears and disappears, and completions are offered.
vim.api.nvim_win_set_cursor(0, { 6, 0 })
vim.api.nvim_feedkeys("o  cvt.rn.f16.f32 f, f;", "xt", false)
expect("the typed line", vim.api.nvim_buf_get_lines(0, 6, 7, true)[1]:find("cvt.rn.f16.f32 f, f;", 1, true))
expect("a finding after typing", found(1))
expect("CVT105", vim.diagnostic.get(0)[1].code == "CVT105")
vim.api.nvim_buf_set_lines(0, 6, 7, true, { "  cvt.rn.satfinite.e4m3x2." })
local items = ask("textDocument/completion", 6, 26)
expect("f32 first", items[1].label == "f32")

mend("kernel.cu", '__device__ void f(short& d, float a) {\n  asm("/* é𝄞 */ cvt.rn.e4m3x2.f32 %0, %1, %1;" : "=h"(d) : "f"(a));\n}', 1, 20)
mend("triton.py", 'y = tl.inline_asm_elementwise(\n    "/* é𝄞 */ cvt.rn.e4m3x2.f32 $0, $1, $2;", "=h,f,f", [a, b], tl.int16, True, 1)', 1, 18)

-- The server stops when asked to.
local client = vim.lsp.get_clients({ name = "ptxcvt" })[1]
client.stop()
expect("an end", vim.wait(20000, function()
  return client.is_stopped()
end))
print("Neovim " .. tostring(vim.version()) .. ": findings, fixes, hover and completion in three languages")
os.exit(0)
