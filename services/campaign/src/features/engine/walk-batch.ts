import type { Tools, Tx } from '../../handler.ts';
import type { Facts, Position } from './facts.ts';
import type { Outcome } from './outside/outcome.ts';
import { type Ready, readDeeds, readHistories, zoneOf } from './read-batch.ts';
import { readSegments } from './segment-facts.ts';
import { type Walked, walk } from './walk.ts';

const none: ReadonlySet<string> = new Set();
// A lead that crm does not have may be merged: the event by which its executions follow is still on its way.
const missingMax = 3;
const missingMs = 5 * 60_000;

/** An execution where its walk ended, or where it stays because it could not be walked: then the next run tries again. */
export type Reached = Omit<Walked, 'state'> & { state: Walked['state'] | { is: 'postponed'; until: Date } };

/** An execution with where it walked, what it did outside, and where it walked after that. */
export interface Advanced {
  due: Ready;
  first: Reached;
  outcome?: Outcome | undefined;
  second?: Walked;
}

/** Executions of paused workflows or campaigns, and the others. */
export function byPause(ready: readonly Ready[]): { paused: Ready[]; running: Ready[] } {
  const isPaused = ({ workflowStatus, campaignStatus }: Ready) =>
    workflowStatus !== 'published' || (campaignStatus !== null && campaignStatus !== 'active');
  return { paused: ready.filter(isPaused), running: ready.filter((one) => !isPaused(one)) };
}

/**
 * Walks executions of one tenant, without effects, to the next node that waits, ends the execution or needs something
 * outside of the database. The walk of a lead that exists returns what it was based on.
 */
export async function walkBatch(
  tools: Pick<Tools, 'crm' | 'settingsOf' | 'ids'>,
  tx: Tx,
  outside: <T>(work: () => Promise<T>) => Promise<T>,
  running: readonly Ready[],
): Promise<(Advanced & { facts?: Facts })[]> {
  const [first] = running;
  if (!first) return [];
  const as = { tenantId: first.tenantId, environment: first.environment, requestId: `execution-${first.executionId}` };
  const ids = [...new Set(running.map(({ leadId }) => leadId))];
  const [leads, settings] = await outside(() =>
    Promise.all([tools.crm.readLeads({ body: { ids }, as }), tools.settingsOf(as)]),
  );
  const leadOf = new Map(leads.map((lead) => [lead.id, lead]));
  const deeds = await readDeeds(tx, running);
  const historyOf = await readHistories(tx, running);
  const asking = running.map(({ executionId, tenantId, leadId, version: { graph } }) => ({
    executionId,
    tenantId,
    leadId,
    graph,
  }));
  const segments = await outside(() => readSegments(tools, { tx, as }, asking));
  const now = new Date();
  return running.map((due) => {
    const lead = leadOf.get(due.leadId);
    if (!lead) return { due, first: missing(due, now) };
    const timezone = zoneOf(due, lead, settings?.timezone);
    const facts = {
      now,
      lead,
      timezone,
      deeds: deeds.get(due.executionId) ?? [],
      history: historyOf(due.executionId),
      payload: due.payload,
      segments: segments.get(due.executionId) ?? none,
    };
    return { due, facts, first: walk(due.version.graph, positionOf(due), facts, due.settings) };
  });
}

/** A job whose `wake` is current runs when the wait has ended, by the clock of the database, or when its event happened. */
function positionOf({ executionId, workflowId, nodeId, step, enteredAt, status }: Ready): Position {
  return { executionId, workflowId, nodeId, step, enteredAt, isWoken: status === 'waiting' };
}

function missing(due: Ready, now: Date): Reached {
  const state: Reached['state'] =
    due.attempts < missingMax
      ? { is: 'postponed', until: new Date(now.getTime() + missingMs) }
      : { is: 'ended', status: 'exited', reason: 'lead_deleted' };
  return { ...positionOf(due), steps: [], state };
}
