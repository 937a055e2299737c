import type { templates } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkRecipients } from '../suppressions/check-recipients.ts';
import { previewData, renderPreview } from './preview.ts';
import { htmlOfText, type RenderedTemplate } from './render.ts';
import type { TemplateRecord } from './template.ts';

interface Found {
  template: TemplateRecord;
  rendered: RenderedTemplate;
}

export const testSendTemplate = (
  tools: Pick<Tools, 'crm' | 'settingsOf' | 'publicUrl' | 'mail' | 'seal' | 'renderer'>,
): Handler<typeof templates.testSendTemplate, Found> => ({
  async check({ params, body, caller, tx }) {
    const data = await previewData(tools, body, caller);
    return renderPreview(tools, tx, { tenantId: caller.tenantId as number, templateId: params.id, data });
  },
  async run({ body, tx, schedule, found: { template, rendered } }) {
    if (template.channel !== 'email') throw fail('not_an_email');
    const { subject, html, text, missing } = rendered;
    if (missing.length)
      throw fail(
        'values_missing',
        missing.map((key) => ({ field: 'sample', message: `${key} has no value` })),
      );
    const to = await checkRecipients(tools, tx, body.to);
    const content = { subject: subject ?? '', text: text ?? '', html: html ?? htmlOfText(text ?? '') };
    const messages = to.map((address) => ({ kind: 'bulk' as const, template: 'template_test', to: address, content }));
    if (!(await tools.mail({ tx, schedule }, messages))) throw fail('mail_limit');
    return { queued: messages.length };
  },
});
