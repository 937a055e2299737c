import { meets } from '@tandem/crm-contract';
import type { Schedule } from '@tandem/jobs';
import type { Log } from '@tandem/process';
import type { Tx } from '../../handler.ts';
import { chainMax, type Enrolled, enroll } from '../engine/enroll.ts';
import type { LeadRecord } from '../engine/facts.ts';
import { dataOf } from '../engine/graph.ts';
import { type Entrance, entrancesOf } from '../workflows/enterable.ts';

/** Something that can start workflows. */
export interface Occurrence {
  /** The `triggerType` of the workflows that it starts. */
  type: string;
  leadId: number;
  /** The lead, for conditions of triggers; an occurrence without it meets none. */
  lead?: LeadRecord | undefined;
  eventId: string;
  payload?: object;
  /** The workflows that caused it. */
  chain?: readonly number[];
  /** Whether it is what the trigger of a workflow asks for, such as a certain tag or form. */
  suits?(trigger: ReturnType<typeof dataOf<'trigger'>>): boolean;
}

interface Inside {
  tx: Tx;
  schedule: Schedule;
}

/** Enrolls leads into the published workflows that occurrences start, and returns what happened by workflow. */
export async function startMatching(
  inside: Inside,
  occurrences: readonly Occurrence[],
  log: Log,
): Promise<{ workflowId: number; enrolled: Enrolled[] }[]> {
  const types = [...new Set(occurrences.map(({ type }) => type))];
  if (!types.length) return [];
  const started = [];
  for await (const entrance of entrancesOf(inside.tx, types)) {
    const matching = occurrences.filter((one) => isMatch(entrance, one) && mayStart(entrance, one, log));
    if (!matching.length) continue;
    const enrolled = await enroll(inside, entrance, matching, { source: 'event' });
    started.push({ workflowId: entrance.id, enrolled });
  }
  return started;
}

function isMatch({ trigger }: Entrance, { type, lead, suits }: Occurrence): boolean {
  const data = dataOf(trigger, 'trigger');
  if ((data.triggerType ?? 'manual') !== type) return false;
  if (suits && !suits(data)) return false;
  const { conditions = [] } = data;
  return conditions.every(
    ({ field, operator, value = null }) => lead !== undefined && meets(lead, { field, operator, value }),
  );
}

/** Stops workflows that start one another without end. */
function mayStart({ id }: Entrance, { chain = [], leadId }: Occurrence, log: Log): boolean {
  if (!chain.includes(id) && chain.length < chainMax) return true;
  log.warn('workflow not started: it is in the chain of workflows that caused the event, or the chain is too long', {
    workflowId: id,
    leadId,
    chain: chain.join(),
  });
  return false;
}
