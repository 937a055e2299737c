import { workflowNotified } from '@tandem/campaign-contract';
import type { Inside } from '@tandem/jobs';
import { ShareTimeoutError } from '@tandem/process';
import type { Tools, Tx } from '../../../handler.ts';
import { storableText } from '../../templates/storable-text.ts';
import { dataOf } from '../graph.ts';
import type { Ready } from '../read-batch.ts';
import type { Outcome } from './outcome.ts';
import { renderText } from './render-text.ts';
import { threadsBusy } from './retry.ts';
import type { ToSend } from './to-send.ts';

export const messageMax = 1_000;

/** Renders a notification, which identity sends once the step is recorded: to the users of the node, or the lead's assignee. */
export async function notifyUsers(
  tools: Pick<Tools, 'ids' | 'renderer'>,
  { node, due, facts }: ToSend,
): Promise<Outcome> {
  const { ids } = tools;
  const { userIds: codes, message } = dataOf(node, 'notify');
  const { lead } = facts;
  const named = (codes ?? []).flatMap((code) => ids.decode('user', due.tenantId, code) ?? []);
  const userIds = codes?.length ? named : lead.assignedTo === null ? [] : [lead.assignedTo];
  const input = { userIds: userIds.map((id) => ids.encode('user', due.tenantId, id)) };
  if (!userIds.length) return { is: 'skipped', input, result: {}, skipReason: 'no_recipient' };
  try {
    const text = await renderText(tools, message, facts, messageMax);
    return { is: 'done', input: { ...input, message: text }, result: {}, notify: { userIds, message: text } };
  } catch (error) {
    if (error instanceof ShareTimeoutError) return threadsBusy();
    const text = `The message cannot be rendered: ${(error as Error).message}`.slice(0, 500);
    return { is: 'failed', input, error: storableText(text) };
  }
}

/** Emits the notifications of steps that are recorded now. */
export async function emitNotifications(
  { tx, emit }: Pick<Inside<Tx>, 'tx' | 'emit'>,
  recorded: readonly { due: Ready; outcome?: Outcome | undefined }[],
): Promise<void> {
  const notifying = recorded.flatMap(({ due, outcome }) =>
    outcome?.is === 'done' && outcome.notify ? [{ due, notify: outcome.notify }] : [],
  );
  if (!notifying.length) return;
  const ids = [...new Set(notifying.map(({ due }) => due.workflowId))];
  const rows = await tx.workflow.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
  const nameOf = new Map(rows.map(({ id, name }) => [id, name]));
  for (const { due, notify } of notifying) {
    const { workflowId, executionId, leadId } = due;
    emit(workflowNotified, {
      data: { workflowId, executionId, leadId, ...notify },
      record: { id: workflowId, name: nameOf.get(workflowId) ?? '' },
    });
  }
}
