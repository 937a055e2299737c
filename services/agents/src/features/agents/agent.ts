import { Agent, agentStates, type agentStatuses, storedAgentSettings } from '@tandem/agents-contract';
import { fail, failField, transitionError } from '@tandem/service';
import type { z } from 'zod';
import type { Agent as AgentRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';

export type AgentRecord = z.output<typeof Agent>;
export type AgentStatus = (typeof agentStatuses)[number];

const columns = Agent.pick({ kind: true, status: true, approvalPolicy: true }).extend(storedAgentSettings);

/** Converts a row to the contract's `Agent`. */
export function asAgent(row: AgentRow): AgentRecord {
  const checked = columns.parse(row);
  return { ...row, ...checked, allowedTransitions: agentStates.next(checked.status) };
}

/** Reads agents by id; a deleted one counts as disabled. */
export async function readAgents(tx: Tx, ids: readonly number[]): Promise<Map<number, AgentRecord>> {
  const rows = await tx.agent.findMany({ where: { id: { in: [...new Set(ids)] } } });
  return new Map(rows.map((row) => [row.id, asAgent(row.deletedAt ? { ...row, status: 'disabled' } : row)]));
}

/** Reads and locks an agent, so that no other request changes it before this one is written. */
export async function lockAgent(tx: Tx, id: number): Promise<AgentRecord> {
  await tx.sql`SELECT id FROM agent WHERE id = ${id} FOR UPDATE`;
  const row = await tx.agent.findFirst({ where: { id, deletedAt: null } });
  if (!row) throw fail('not_found');
  return asAgent(row);
}

/** Writes changes to a locked agent as its next version. */
export async function writeAgent(
  tx: Tx,
  id: number,
  data: Parameters<Tx['agent']['updateManyAndReturn']>[0]['data'],
): Promise<AgentRecord> {
  const [row] = await tx.agent.updateManyAndReturn({ where: { id }, data: { ...data, version: { increment: 1 } } });
  if (!row) throw fail('not_found');
  return asAgent(row);
}

/**
 * Fails for a model that agents cannot name: another one could be unknown to the provider, or cost more than the platform pays.
 */
export function checkModel({ models }: Pick<Tools, 'models'>, model: string | null | undefined): void {
  if (!model || models.includes(model)) return;
  throw failField('config.model', `Must be one of ${models.join(', ')}`);
}

/** Fails unless the transition is allowed. */
export function checkTransition({ status, allowedTransitions }: AgentRecord, to: AgentStatus): void {
  if (allowedTransitions.includes(to)) return;
  throw fail('wrong_status', [transitionError(status, allowedTransitions)]);
}

/**
 * Returns the agent if it may start executions.
 * @throws ApiError 409 when it is paused or disabled
 */
export function checkActive(agent: AgentRecord): AgentRecord {
  if (agent.status === 'active') return agent;
  throw fail('agent_paused', [
    {
      field: 'status',
      message: `Must be active, and is ${agent.status}; resume the agent with POST /v1/agents/:id/resume`,
    },
  ]);
}
