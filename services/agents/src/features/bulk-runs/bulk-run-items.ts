import { type BulkRunItem, type LeadErrorCode, leadErrors } from '@tandem/agents-contract';
import type { Listable } from '@tandem/service';
import type { FoundPage, PageArgs } from '@tandem/tenant-db';
import type { z } from 'zod';
import type {
  BulkRun as BulkRunRow,
  Execution as ExecutionRow,
  BulkRunRejection as RejectionRow,
} from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { asExecution } from '../executions/execution.ts';

type Item = z.output<typeof BulkRunItem>;
type Code = z.output<typeof LeadErrorCode>;

/** An execution or a rejected lead of a run, as a list sorts it. */
type ItemRow = { id: number; createdAt: Date } & (
  | { execution: ExecutionRow; rejection?: never }
  | { rejection: RejectionRow; execution?: never }
);

/** The further conditions of the executions, and those of the rejected leads; undefined for a list without them. */
interface Parts {
  executions: Record<string, unknown>[] | undefined;
  rejections: Record<string, unknown>[] | undefined;
}

/**
 * The executions and the rejected leads of a run as one model for `list`. Both have the time of their run and ids of one sequence, so
 * that a page of both is found in the first rows of each. A run has at most 250 leads: no page ends early.
 */
export function bulkRunItems(tx: Tx, { executions, rejections }: Parts): Listable<ItemRow> {
  const models = [
    ...(executions ? [asItems(tx.execution, executions, (execution: ExecutionRow) => ({ execution }))] : []),
    ...(rejections ? [asItems(tx.bulkRunRejection, rejections, (rejection: RejectionRow) => ({ rejection }))] : []),
  ];
  return {
    async findPage({ skip, take, ...args }) {
      const pages = await Promise.all(models.map((model) => model.findPage({ ...args, skip: 0, take: skip + take })));
      const rows = pages.flatMap((page) => page.rows).sort(args.isDescending ? (a, b) => inOrder(b, a) : inOrder);
      const totals = pages.map(({ total }) => total);
      const isLarge = pages.some((page) => page.isLarge);
      return { rows: rows.slice(skip, skip + take), total: sumOf(totals), isLarge };
    },
    countPage: async (args) => sumOf(await Promise.all(models.map((model) => model.countPage(args)))),
    count: async (args) => sumOf(await Promise.all(models.map((model) => model.count(args)))) as number,
  };
}

/** A model with further conditions, whose rows are items. */
function asItems<Row extends { id: number; createdAt: Date }>(
  model: Listable<Row>,
  conditions: Record<string, unknown>[],
  named: (row: Row) => { execution: ExecutionRow } | { rejection: RejectionRow },
): Listable<ItemRow> {
  const within = <Args extends { where: Record<string, unknown> }>(args: Args): Args => ({
    ...args,
    where: { AND: [args.where, ...conditions] },
  });
  return {
    async findPage(args: PageArgs): Promise<FoundPage<ItemRow>> {
      const page = await model.findPage(within(args));
      return { ...page, rows: page.rows.map((row) => ({ id: row.id, createdAt: row.createdAt, ...named(row) })) };
    },
    countPage: (args) => model.countPage(within(args)),
    count: (args) => model.count(within(args)),
  };
}

function inOrder(one: ItemRow, other: ItemRow): number {
  return one.createdAt.getTime() - other.createdAt.getTime() || one.id - other.id;
}

/** Undefined if a part is. */
function sumOf(parts: readonly (number | undefined)[]): number | undefined {
  return parts.reduce<number | undefined>(
    (sum, part) => (sum === undefined || part === undefined ? undefined : sum + part),
    0,
  );
}

/** Converts an execution or a rejected lead of a run to the contract's `BulkRunItem`. */
export function asItem({ execution, rejection }: ItemRow, run: BulkRunRow & { agent: { kind: string } }): Item {
  if (execution) return { ...asExecution(execution), requestedLeadId: null };
  const { agentId, scheduledFor, scheduleId, createdBy: actingUserId, id: bulkRunId } = run;
  const { leadId, requestedId: requestedLeadId, createdAt } = rejection;
  const code = rejection.code as Code;
  const isFound = code !== 'lead_not_found';
  return {
    ...{ id: null, agentId, kind: run.agent.kind as Item['kind'], bulkRunId, requestedLeadId },
    trigger: scheduleId === null ? 'bulk' : 'schedule',
    leadId: isFound ? leadId : null,
    ...{ status: 'rejected', allowedTransitions: [], approvalId: null, attempt: 0, input: null, output: null },
    ...{ usage: null, steps: [], source: 'template', actingUserId, scheduleId, retryOf: null, cancelReason: null },
    error: { code, message: leadErrors[code], retryable: passing.has(code) },
    ...{ scheduledFor, createdAt, startedAt: null, finishedAt: null },
  };
}

/** Reasons that may be gone at another time. */
const passing = new Set<Code>(['already_running', 'limit_reached']);
