import { templateStates, type templateStatuses, templateUpdated } from '@tandem/campaign-contract';
import type { Emit } from '@tandem/events';
import { fail, failField, transitionError } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { asTemplate, eventOf, lockTemplate, type TemplateRecord } from './template.ts';

type Status = (typeof templateStatuses)[number];
type Work = { tx: Tx; emit: Emit<typeof templateUpdated>; ifMatch(template: TemplateRecord): void };

/** Changes the status of a template; an active one needs content. */
export async function changeStatus({ tx, emit, ifMatch }: Work, id: number, to: Status): Promise<TemplateRecord> {
  const template = await lockTemplate(tx, id);
  ifMatch(template);
  const { status, channel, html, text } = template;
  if (!templateStates.has(status, to))
    throw fail('invalid_transition', [transitionError(status, templateStates.next(status))]);
  if (to === 'active' && channel === 'sms' && !text?.trim()) throw failField('text', 'Must not be empty');
  if (to === 'active' && !html?.trim() && !text?.trim())
    throw failField('html', 'Must not be empty, unless text is set');
  const [row] = await tx.template.updateManyAndReturn({
    where: { id },
    data: { status: to, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  const updated = asTemplate(row);
  emit(templateUpdated, { ...eventOf(updated), changes: { status: { from: status, to } } });
  return updated;
}
