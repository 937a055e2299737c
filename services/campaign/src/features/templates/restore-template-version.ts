import { actingUserId } from '@tandem/caller';
import type { templates } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { contentColumns, lockTemplate } from './template.ts';
import { editTemplate } from './update-template.ts';

export const restoreTemplateVersion: Handler<typeof templates.restoreTemplateVersion> = async (context) => {
  const { params, caller, tx, emit, ifMatch } = context;
  const template = await lockTemplate(tx, params.id);
  ifMatch(template);
  const row = await tx.templateVersion.findFirst({ where: { templateId: template.id, number: params.number } });
  if (!row) throw fail('not_found');
  const { subject, preheader, html, text } = row;
  const content = { subject, preheader, html, text, ...contentColumns(row) };
  return editTemplate({ tx, emit, userId: actingUserId(caller) ?? null }, template, content);
};
