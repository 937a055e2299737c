import { actingUserId, type Caller } from '@tandem/caller';
import { templateCreated, type templates } from '@tandem/campaign-contract';
import type { Emit } from '@tandem/events';
import type { Handler, Tx } from '../../handler.ts';
import type { Channel } from '../suppressions/address.ts';
import { bodyOf } from './blocks/body.ts';
import {
  asTemplate,
  checkContent,
  type EditableContent,
  eventOf,
  type TemplateRecord,
  toBlocksColumn,
  writeVersion,
} from './template.ts';

export const createTemplate: Handler<typeof templates.createTemplate> = async ({ body, caller, tx, emit }) => {
  const { name, channel, subject = null, preheader = null, text = null, variables = [] } = body;
  const content = { subject, preheader, html: null, blocks: null, ...bodyOf(body), text, variables };
  checkContent(channel, content);
  return insertTemplate({ tx, emit, caller }, { name, channel, ...content });
};

/** Stores a new draft with its first version. */
export async function insertTemplate(
  { tx, emit, caller }: { tx: Tx; emit: Emit<typeof templateCreated>; caller: Caller },
  { variables, blocks, ...fields }: EditableContent & { name: string; channel: Channel },
): Promise<TemplateRecord> {
  const createdBy = actingUserId(caller) ?? null;
  const data = { ...fields, blocks: toBlocksColumn(blocks), variables: [...variables], createdBy };
  const template = asTemplate(await tx.template.create({ data }));
  await writeVersion(tx, template, createdBy);
  emit(templateCreated, eventOf(template));
  return template;
}
