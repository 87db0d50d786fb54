// The operations by name, for the parts of the configuration that name them: a rule for one that does not exist would
// never hold, and what it was to forbid would be allowed. This folder lies below the operations and cannot ask them, so a
// test holds the list to theirs.
import * as z from 'zod'
import { nearest } from '../text/nearest.js'

export const operationNames: readonly string[] = [
  'add_workspace_folder',
  'apply_edit',
  'begin_change',
  'blast_radius',
  'check_change',
  'close_document',
  'did_change_watched_files',
  'execute_command',
  'explore_symbol',
  'find_callers',
  'find_references',
  'find_symbol',
  'format_document',
  'format_range',
  'get_code_lenses',
  'get_completions',
  'get_context',
  'get_diagnostics',
  'get_document_highlights',
  'get_folding_ranges',
  'get_inlay_hints',
  'get_selection_ranges',
  'get_semantic_tokens',
  'get_signature_help',
  'go_to_declaration',
  'go_to_definition',
  'go_to_implementation',
  'go_to_type_definition',
  'inspect_symbol',
  'list_symbols',
  'list_workspace_folders',
  'open_document',
  'prepare_rename',
  'preview_edit',
  'remove_workspace_folder',
  'rename_symbol',
  'restart_server',
  'server_status',
  'suggest_fixes',
  'type_hierarchy',
]

/** As the command line spells it, or as a tool is called. */
export const operationNameSchema = z
  .string()
  .max(128)
  .superRefine((written, context) => {
    if (operationNames.includes(asOperationName(written))) return
    const [meant] = nearest(written, operationNames, 1)
    const suggestion = meant === undefined ? '' : `; the nearest is "${meant}"`
    context.addIssue({ code: 'custom', message: `names no operation${suggestion}` })
  })

export function asOperationName(written: string): string {
  return written.replaceAll('-', '_')
}
