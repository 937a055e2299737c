import { type approvals, type DecisionError, messageOfDecision } from '@tandem/agents-contract';
import { actingUserId } from '@tandem/caller';
import { ApiError, failField } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { readableLeads } from '../../lead-reach.ts';
import { missingPermissions } from '../actions/permissions.ts';
import { liveStatuses, lockExecutions } from '../executions/execution.ts';
import { asApproval, decide } from './approval.ts';

/** An approval of the request, or why it cannot be decided. */
interface Requested {
  publicId: string;
  id: number | undefined;
  error?: DecisionError | undefined;
}

export const decideApprovals = (tools: Tools): Handler<typeof approvals.decideApprovals, Requested[]> => ({
  async check({ body: { ids, decision, reason }, caller, tx }) {
    if (decision === 'reject' && !reason?.trim()) throw failField('reason', 'Is required to reject approvals');
    const decoded = ids.map((publicId) => ({ publicId, id: tools.ids.decode('approval', caller.tenantId, publicId) }));
    const known = decoded.flatMap(({ id }) => id ?? []);
    const rows = (await tx.approval.findMany({ where: { id: { in: known } } })).map(asApproval);
    const leadIds = [...new Set(rows.map(({ leadId }) => leadId))];
    const readable = await readableLeads(tools, caller, async () => leadIds);
    const found = rows.filter(({ leadId }) => !readable || readable.includes(leadId));
    const missing =
      decision === 'approve'
        ? await missingPermissions(
            tools,
            caller,
            found.map(({ proposedAction: action, leadId }) => ({ action, leadId })),
          )
        : [];
    const errors = new Map(
      found.map(({ id }, index) => [id, missing[index] ? ('action_not_permitted' as const) : undefined]),
    );
    const seen = new Set<number>();
    return decoded.map(({ publicId, id }) => {
      if (id === undefined || !errors.has(id)) return { publicId, id, error: 'not_found' };
      if (seen.has(id)) return { publicId, id, error: 'duplicate_in_request' };
      seen.add(id);
      return { publicId, id, error: errors.get(id) };
    });
  },
  async run({ body: { decision, comment = null, reason = null }, caller, found, ...context }) {
    const { tenantId = 0, environment } = caller;
    const decidedBy = actingUserId(caller) ?? null;
    const made =
      decision === 'approve'
        ? { status: 'approved' as const, comment, decidedBy, scope: { tenantId, environment } }
        : { status: 'rejected' as const, reason, decidedBy };
    const errors = new Map<number | undefined, DecisionError>();
    const decidable = found
      .flatMap(({ id, error }) => (id === undefined || error ? [] : id))
      .sort((one, other) => one - other);
    await lockAll(context.tx, decidable);
    for (const id of decidable) {
      const error = await errorOf(decide(context, id, made));
      if (error) errors.set(id, error);
    }
    const results = found.map(({ publicId, id, error }) => {
      const code = error ?? errors.get(id);
      return code
        ? { id: publicId, status: 'error' as const, error: { code, message: messageOfDecision(code) } }
        : { id: publicId, status: 'success' as const };
    });
    const failed = results.filter(({ status }) => status === 'error').length;
    return { total: results.length, succeeded: results.length - failed, failed, results };
  },
});

/** Why an approval could not be decided; other errors end the request. */
async function errorOf(decision: Promise<unknown>): Promise<DecisionError | undefined> {
  try {
    await decision;
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && (error.code === 'already_decided' || error.code === 'not_found'))
      return error.code;
    throw error;
  }
}

/** Locks the executions and their runs in the order in which every transaction locks several of them. */
async function lockAll(tx: Tx, approvalIds: readonly number[]): Promise<void> {
  const rows = await tx.approval.findMany({ where: { id: { in: [...approvalIds] } }, select: { executionId: true } });
  const executionIds = rows.map(({ executionId }) => executionId);
  await lockExecutions(tx, executionIds, liveStatuses);
  await tx.sql`SELECT id FROM bulk_run
    WHERE id IN (SELECT bulk_run_id FROM execution WHERE id = ANY(${executionIds}::bigint[])) ORDER BY id FOR UPDATE`;
}
