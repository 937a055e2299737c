import type { templates } from '@tandem/campaign-contract';
import type { Handler, Tools } from '../../handler.ts';
import { previewData, renderPreview } from './preview.ts';
import type { RenderedTemplate } from './render.ts';

export const renderTemplate = (
  tools: Pick<Tools, 'crm' | 'settingsOf' | 'publicUrl' | 'renderer'>,
): Handler<typeof templates.renderTemplate, RenderedTemplate> => ({
  async check({ params, body, caller, tx }) {
    const data = await previewData(tools, body, caller);
    const tenantId = caller.tenantId as number;
    return (await renderPreview(tools, tx, { tenantId, templateId: params.id, data })).rendered;
  },
  run: async ({ found }) => found,
});
