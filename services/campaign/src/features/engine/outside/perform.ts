import type { NodeType } from '@tandem/campaign-contract';
import type { Tools, Tx } from '../../../handler.ts';
import { callWebhook } from './call-webhook.ts';
import { changeRecord } from './change-records.ts';
import { enrollInOther } from './enroll-in-other.ts';
import { notifyUsers } from './notify-users.ts';
import type { Outcome } from './outcome.ts';
import { type Batch, outgoingOf, sendMessages } from './send-messages.ts';
import type { ToSend } from './to-send.ts';

type Act = (tools: Tools, one: ToSend, tx: Tx) => Promise<Outcome>;

/** Effects in other services, each repeatable: a run after a crash makes the same change again. */
const acts: Partial<Record<NodeType, Act>> = {
  update_lead: changeRecord,
  create_task: changeRecord,
  assign: changeRecord,
  enroll: async (tools, one) => enrollInOther(tools, one),
  notify: notifyUsers,
  webhook: (tools, one, tx) => callWebhook(tools, tx, one),
};

/** Performs what nodes do outside of the database, and returns the outcome by execution. */
export async function performOutside(
  tools: Tools,
  batch: Batch,
  all: readonly ToSend[],
): Promise<Map<number, Outcome>> {
  const { tx, outside } = batch;
  const messages = outgoingOf(all);
  const outcomes = await sendMessages(tools, batch, messages);
  const sending = new Set(messages.map(({ due }) => due.executionId));
  const others = all.filter(({ due }) => !sending.has(due.executionId));
  if (!others.length) return outcomes;
  await outside(() =>
    Promise.all(
      others.map(async (one) => {
        const act = acts[one.node.type];
        outcomes.set(one.due.executionId, act ? await act(tools, one, tx) : unsupported(one));
      }),
    ),
  );
  return outcomes;
}

function unsupported({ node }: ToSend): Outcome {
  return { is: 'failed', input: {}, error: `This release cannot run nodes of the type ${node.type}` };
}
