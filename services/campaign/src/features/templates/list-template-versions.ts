import type { templates } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';

const select = { id: true, number: true, name: true, subject: true, createdBy: true, createdAt: true } as const;

export const listTemplateVersions: Handler<typeof templates.listTemplateVersions> = async ({ params, tx, list }) => {
  if (!(await tx.template.count({ where: { id: params.id } }))) throw fail('not_found');
  return list({ model: tx.templateVersion, select, where: { templateId: params.id } });
};
