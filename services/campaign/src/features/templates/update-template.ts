import { actingUserId } from '@tandem/caller';
import { templateStates, type templates, templateUpdated } from '@tandem/campaign-contract';
import type { Emit } from '@tandem/events';
import { diff, fail, transitionError } from '@tandem/service';
import type { Handler, Tx } from '../../handler.ts';
import { bodyOf } from './blocks/body.ts';
import {
  asTemplate,
  checkContent,
  type EditableContent,
  eventOf,
  lockTemplate,
  type TemplateRecord,
  toBlocksColumn,
  writeVersion,
} from './template.ts';

export const updateTemplate: Handler<typeof templates.updateTemplate> = async (context) => {
  const { params, body, caller, tx, emit, ifMatch } = context;
  const template = await lockTemplate(tx, params.id);
  ifMatch(template);
  const { html: _html, blocks: _blocks, ...fields } = body;
  const wanted = { ...fields, ...bodyOf(body, template.blocks) };
  return editTemplate({ tx, emit, userId: actingUserId(caller) ?? null }, template, wanted);
};

/** Changes a template. A change of its content makes a version; its name alone is not content. */
export async function editTemplate(
  { tx, emit, userId }: { tx: Tx; emit: Emit<typeof templateUpdated>; userId: number | null },
  template: TemplateRecord,
  wanted: Partial<EditableContent & { name: string }>,
): Promise<TemplateRecord> {
  const { status } = template;
  if (status === 'archived') throw fail('template_archived', [transitionError(status, templateStates.next(status))]);
  const { isEmpty, values, audit } = diff(template, wanted);
  if (isEmpty) return template;
  checkContent(template.channel, { ...template, ...values });
  const { variables, blocks, ...fields } = values;
  const isContent = Object.keys(values).some((field) => field !== 'name');
  const [row] = await tx.template.updateManyAndReturn({
    where: { id: template.id },
    data: {
      ...fields,
      ...(variables && { variables: [...variables] }),
      ...(blocks !== undefined && { blocks: toBlocksColumn(blocks) }),
      ...(isContent && { contentVersion: { increment: 1 } }),
      version: { increment: 1 },
    },
  });
  if (!row) throw fail('not_found');
  const updated = asTemplate(row);
  if (isContent) await writeVersion(tx, updated, userId);
  // The audit log does not store the content, which can have 200,000 characters; the versions have it.
  const { html: _html, blocks: _blocks, text: _text, ...changes } = audit;
  emit(templateUpdated, { ...eventOf(updated), changes });
  return updated;
}
