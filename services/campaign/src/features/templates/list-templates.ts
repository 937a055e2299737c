import type { templates } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { asTemplateSummary } from './template.ts';

// Lists omit the content, which can be 40 MB for a hundred templates.
const select = {
  id: true,
  tenantId: true,
  name: true,
  channel: true,
  status: true,
  subject: true,
  contentVersion: true,
  createdBy: true,
  version: true,
  createdAt: true,
  updatedAt: true,
} as const;

export const listTemplates: Handler<typeof templates.listTemplates> = async ({ query, tx, list }) => {
  const { status, channel } = query;
  const page = await list({
    model: tx.template,
    select,
    where: { ...(status && { status }), ...(channel && { channel }) },
    searchIn: ['name', 'subject'],
  });
  return { ...page, items: page.items.map(asTemplateSummary) };
};
