import {
  type Template,
  TemplateBlocks,
  TemplateSummary,
  TemplateVariable,
  templateStates,
} from '@tandem/campaign-contract';
import type { FieldError } from '@tandem/contract';
import { fail } from '@tandem/service';
import { z } from 'zod';
import { Prisma, type Template as TemplateRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import type { Channel } from '../suppressions/address.ts';
import { syntaxErrors, type TemplateContent } from './render.ts';

export type TemplateRecord = z.output<typeof Template>;
type SummaryRow = Omit<TemplateRow, 'environment' | 'preheader' | 'blocks' | 'html' | 'text' | 'variables'>;
type Blocks = TemplateRecord['blocks'];

/** The content of a template, with the blocks from which its HTML was made. */
export type EditableContent = TemplateContent & { blocks: Blocks };

const columns = TemplateSummary.pick({ status: true, channel: true });
const variablesColumn = z.array(TemplateVariable);
const blocksColumn = TemplateBlocks.nullable();

/** Converts a row to the contract's `TemplateSummary`. */
export function asTemplateSummary(row: SummaryRow): z.output<typeof TemplateSummary> {
  const checked = columns.parse(row);
  return { ...row, ...checked, allowedTransitions: templateStates.next(checked.status) };
}

/** Converts a row to the contract's `Template`. */
export function asTemplate(row: TemplateRow): TemplateRecord {
  return { ...row, ...asTemplateSummary(row), ...contentColumns(row) };
}

/** The JSON columns of a template or of one of its versions. */
export function contentColumns(row: { blocks: unknown; variables: unknown }) {
  return { blocks: blocksColumn.parse(row.blocks), variables: variablesColumn.parse(row.variables) };
}

/** Blocks as the database client accepts them. */
export const toBlocksColumn = (blocks: Blocks) => (blocks === null ? Prisma.DbNull : [...blocks]);

/** Finds a template for a message. */
export async function findTemplate(tx: Tx, id: number): Promise<TemplateRecord | undefined> {
  const row = await tx.template.findFirst({ where: { id } });
  return row ? asTemplate(row) : undefined;
}

/** Finds the content of a version of a template; without a number, the current content. */
export async function findTemplateAt(
  tx: Tx,
  id: number,
  number: number | undefined,
): Promise<(TemplateContent & { id: number }) | undefined> {
  if (number === undefined) return findTemplate(tx, id);
  const row = await tx.templateVersion.findFirst({ where: { templateId: id, number } });
  return row ? { ...row, id, variables: variablesColumn.parse(row.variables) } : undefined;
}

/** Locks a template, so that checks on it still hold when it is written. */
export async function lockTemplate(tx: Tx, id: number): Promise<TemplateRecord> {
  const row = await tx.template.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return asTemplate(row);
}

/** The content of the events of a template. */
export function eventOf(template: TemplateRecord) {
  const { id: templateId, name, channel, status } = template;
  return { data: { templateId, name, channel, status }, record: template };
}

/** Fails with 422 for broken placeholders, a missing subject, fields of the other channel, and a variable named twice. */
export function checkContent(channel: Channel, content: EditableContent): void {
  const emailOnly = 'Applies only to e-mails; omit it';
  const errors: FieldError[] = [
    ...(channel === 'email' && !content.subject?.trim()
      ? [{ field: 'subject', message: 'Is required for e-mails' }]
      : []),
    ...(channel === 'sms'
      ? (['subject', 'preheader', content.blocks ? 'blocks' : 'html'] as const).flatMap((field) =>
          content[field] === null ? [] : [{ field, message: emailOnly }],
        )
      : []),
    ...content.variables.flatMap(({ key }, index) =>
      content.variables.findIndex((one) => one.key === key) === index
        ? []
        : [{ field: `variables.${index}.key`, message: 'Must be unique; another variable has this key' }],
    ),
    ...syntaxErrors(content),
  ];
  if (errors.length) throw fail('validation_failed', errors);
}

/** Stores the current content of a template as its latest version. */
export async function writeVersion(tx: Tx, template: TemplateRecord, createdBy: number | null): Promise<void> {
  const { id: templateId, contentVersion: number, name, subject, preheader, html, text, variables } = template;
  const content = { name, subject, preheader, blocks: toBlocksColumn(template.blocks), html, text, variables };
  await tx.templateVersion.create({ data: { templateId, number, ...content, createdBy } });
}
