-- Starts `ptxcvt lsp` for PTX files and files that may contain PTX. For Neovim 0.10 or newer, in ~/.config/nvim/plugin/.
vim.filetype.add({ extension = { ptx = "ptx", cu = "cuda", cuh = "cuda", ll = "llvm", mlir = "mlir" } })

vim.api.nvim_create_autocmd("FileType", {
  pattern = "ptx",
  callback = function()
    vim.bo.commentstring = "// %s"
  end,
})

vim.api.nvim_create_autocmd("FileType", {
  pattern = { "ptx", "cuda", "cuda-cpp", "cpp", "c", "hip", "python", "llvm", "mlir", "rust" },
  callback = function(event)
    vim.lsp.start({
      name = "ptxcvt",
      cmd = { "ptxcvt", "lsp" },
      root_dir = vim.fs.root(event.buf, { "ptxcvt.toml", ".git" }),
      -- For code that does not name its target: init_options = { target = "sm_90a", isa = "8.7" },
    })
  end,
})
