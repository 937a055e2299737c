import { createHash } from 'node:crypto';
import type { NodeType } from '@tandem/campaign-contract';
import { meets } from '@tandem/crm-contract';
import { nextTime } from '@tandem/time-zones';
import { awaitedSince, hasDone, isMet } from '../conditions.ts';
import type { Facts, NodeKind } from '../facts.ts';
import { dataOf } from '../graph.ts';
import { after, holdMinMs, minutesOf, openFrom } from '../timing.ts';

const trigger: NodeKind = () => ({ does: 'next' });

const wait: NodeKind = (node, { now, timezone, history }, { nodeId, isWoken }) => {
  if (isWoken) return { does: 'next' };
  const { at, workingHours, ...length } = dataOf(node, 'wait');
  let until = after(now, length, timezone);
  if (at === undefined) until = held(until, now, history.leftAt.has(nodeId));
  else until = nextTime(new Date(until.getTime() - 1), minutesOf(at), timezone);
  if (workingHours) until = openFrom(until, timezone, [workingWeek]);
  return until > now ? { does: 'wait', until } : { does: 'next' };
};
const workingWeek = { from: '09:00', to: '17:00', days: [1, 2, 3, 4, 5] };

const condition: NodeKind = (node, facts) => {
  const branch = isMet(dataOf(node, 'condition'), facts) ? 'yes' : 'no';
  return { does: 'next', branch, result: { branch } };
};

/** The same lead always gets the same variant of a node, also in another version of the workflow. */
const split: NodeKind = (node, { lead }, { workflowId }) => {
  const { variants } = dataOf(node, 'split');
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  let place = shareOf(`${workflowId}/${node.nodeId}/${lead.id}`) * total;
  const chosen = variants.find(({ weight }) => {
    place -= weight;
    return place < 0;
  });
  const branch = (chosen ?? variants[0])?.key as string;
  return { does: 'next', branch, result: { variant: branch } };
};

const waitForEvent: NodeKind = (node, { now, timezone, deeds, history }, { nodeId, enteredAt }) => {
  const { event, ...length } = dataOf(node, 'wait_for_event');
  const happened = hasDone(deeds, event, { since: awaitedSince(history, { nodeId, enteredAt }) });
  const until = held(after(enteredAt, length, timezone), enteredAt, history.leftAt.has(nodeId));
  if (!happened && until > now) return { does: 'wait', until, waitsFor: event };
  const branch = happened ? 'yes' : 'no';
  return { does: 'next', branch, result: { branch, event } };
};

/** Versions that were published before the shortest wait of a cycle was checked have cycles with shorter ones. */
function held(until: Date, from: Date, wasHere: boolean): Date {
  return wasHere ? new Date(Math.max(until.getTime(), from.getTime() + holdMinMs)) : until;
}

/** A goal that is not reached lets the lead pass. */
const goal: NodeKind = (node, facts) => {
  const { event, conditions } = dataOf(node, 'goal');
  const isReached = isGoalReached({ event, conditions: conditions ?? [] }, facts);
  return isReached
    ? { does: 'end', status: 'completed', reason: 'goal' }
    : { does: 'next', result: { reached: false } };
};

const exit: NodeKind = (node) => ({ does: 'end', status: 'exited', reason: dataOf(node, 'exit').reason || 'exit' });

const outside: NodeKind = () => ({ does: 'outside' });

/** How each type of node acts. */
export const nodeKinds: Readonly<Record<NodeType, NodeKind>> = {
  trigger,
  wait,
  condition,
  split,
  wait_for_event: waitForEvent,
  goal,
  exit,
  email: outside,
  sms: outside,
  update_lead: outside,
  create_task: outside,
  assign: outside,
  notify: outside,
  webhook: outside,
  enroll: outside,
};

type Conditions = NonNullable<ReturnType<typeof dataOf<'goal'>>['conditions']>;

/** Whether a lead has reached a goal: it did what the goal names and meets its conditions. */
export function isGoalReached(
  { event, conditions = [] }: { event?: string | undefined; conditions?: Conditions | undefined },
  { lead, deeds }: Pick<Facts, 'lead' | 'deeds'>,
): boolean {
  if (event === undefined && !conditions.length) return false;
  const isDone = event === undefined || hasDone(deeds, event);
  return isDone && conditions.every(({ field, operator, value = null }) => meets(lead, { field, operator, value }));
}

/** A number from 0 to below 1 that depends on the text only. */
export function shareOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}
