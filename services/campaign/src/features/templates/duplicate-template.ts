import type { templates } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { insertTemplate } from './create-template.ts';
import { findTemplate } from './template.ts';

const nameMax = 200;

export const duplicateTemplate: Handler<typeof templates.duplicateTemplate> = async (context) => {
  const { params, body, caller, tx, emit } = context;
  const original = await findTemplate(tx, params.id);
  if (!original) throw fail('not_found');
  const { channel, subject, preheader, blocks, html, text, variables } = original;
  const name = body.name ?? `${original.name.slice(0, nameMax - ' (copy)'.length)} (copy)`;
  return insertTemplate({ tx, emit, caller }, { name, channel, subject, preheader, blocks, html, text, variables });
};
