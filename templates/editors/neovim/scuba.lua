-- `scuba lsp` for Neovim, beside clangd: clangd knows the language, SCuBA the memory accesses.
--
-- Copy this file to ~/.config/nvim/lua/scuba.lua and add to init.lua:
--
--     require("scuba").setup({ cmd = { "scuba", "lsp" } })
--
-- Neovim 0.11 and newer start it themselves; before, nvim-lspconfig does where it is installed, else this file.

local M = {}

local function defaults(options)
  return vim.tbl_deep_extend("force", {
    cmd = { "scuba", "lsp" },
    filetypes = { "cuda", "cpp", "c" },
    -- checkOnSave: check a file when it is saved; flags: nvcc's, where no build and no compile_commands.json tells any.
    init_options = { checkOnSave = true, flags = {} },
  }, options or {})
end

-- The folder of the project: scuba.toml's, a build's, or the repository.
local markers = { "scuba.toml", ".scuba", "compile_commands.json", ".git" }

local function root_of(file)
  local folder = vim.fn.fnamemodify(file, ":p:h")
  for _, marker in ipairs(markers) do
    for _, found in ipairs({ vim.fn.finddir(marker, folder .. ";"), vim.fn.findfile(marker, folder .. ";") }) do
      if found ~= "" then
        return vim.fn.fnamemodify(found, ":p"):gsub("/$", ""):match("^(.*)/[^/]*$")
      end
    end
  end
  return folder
end

function M.setup(options)
  local config = defaults(options)
  vim.cmd([[autocmd BufRead,BufNewFile *.cu,*.cuh setlocal filetype=cuda]])
  if vim.lsp.config and vim.lsp.enable then
    config.root_markers = markers
    vim.lsp.config("scuba", config)
    vim.lsp.enable("scuba")
    return
  end
  local there, lspconfig = pcall(require, "lspconfig")
  if there then
    local known = require("lspconfig.configs")
    if not known.scuba then
      config.root_dir = root_of
      known.scuba = { default_config = config }
    end
    lspconfig.scuba.setup({})
    return
  end
  local clients = {}
  local function attach()
    local root = root_of(vim.api.nvim_buf_get_name(0))
    if not clients[root] then
      clients[root] = vim.lsp.start_client({
        name = "scuba",
        cmd = config.cmd,
        root_dir = root,
        init_options = config.init_options,
        on_exit = function() clients[root] = nil end,
      })
    end
    if clients[root] then vim.lsp.buf_attach_client(0, clients[root]) end
  end
  vim.api.nvim_create_autocmd("FileType", { pattern = config.filetypes, callback = attach })
end

return M
