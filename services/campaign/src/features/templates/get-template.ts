import type { templates } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { findTemplate } from './template.ts';

export const getTemplate: Handler<typeof templates.getTemplate> = async ({ params, tx }) => {
  const template = await findTemplate(tx, params.id);
  if (!template) throw fail('not_found');
  return template;
};
