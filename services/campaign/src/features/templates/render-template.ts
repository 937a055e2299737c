import type { templates } from '@tandem/campaign-contract';
import type { Handler, Tools } from '../../handler.ts';
import { previewData, renderPreview } from './preview.ts';

export const renderTemplate = (
  tools: Pick<Tools, 'crm' | 'settingsOf' | 'publicUrl'>,
): Handler<typeof templates.renderTemplate, Record<string, unknown>> => ({
  check: ({ body, caller }) => previewData(tools, body, caller),
  run: async ({ params, tx, found: data }) => (await renderPreview(tx, params.id, data)).rendered,
});
