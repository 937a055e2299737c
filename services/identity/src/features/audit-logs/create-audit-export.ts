import { type FieldError, unknownId } from '@tandem/contract';
import { auditExportRequested, type auditLogs } from '@tandem/identity-contract';
import { fail, failField } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { auditExportKind, type ExportFilters, identityJobs } from './audit-export.ts';
import { exportAuditLogJob } from './export-audit-log.job.ts';
import { readTarget } from './list-audit-logs.ts';
import { readEnds } from './walk-chain.ts';

export const createAuditExport =
  ({ ids }: Tools): Handler<typeof auditLogs.createAuditExport> =>
  async ({ body: { format, filters: shownFilters = {} }, caller, tx, emit, schedule }) => {
    const { targetId, targetType, ...others } = shownFilters;
    const target =
      targetId === undefined
        ? { ...(targetType && { targetType }) }
        : readTarget(ids, caller.tenantId as number, { targetType, targetId }, 'filters.targetId');
    await checkFilters(tx, shownFilters);
    // Everybody in the sandbox can read its jobs, sandbox keys too, so an export that begins there has no live entries.
    const isSandbox = caller.environment === 'sandbox';
    if (isSandbox && others.environment === 'live')
      throw failField('filters.environment', 'Must be sandbox: exports of live entries begin in live');
    const filters: ExportFilters = { ...others, ...target, ...(isSandbox && sandboxOnly) };
    const { anchor, head } = await readEnds(tx);
    // The file shows the filters with public ids, as the caller sent them.
    const encoded = {
      ...shownFilters,
      ...(isSandbox && sandboxOnly),
      ...(shownFilters.actorId !== undefined && {
        actorId: ids.encode('user', caller.tenantId as number, shownFilters.actorId),
      }),
      ...(shownFilters.onBehalfOfId !== undefined && {
        onBehalfOfId: ids.encode('user', caller.tenantId as number, shownFilters.onBehalfOfId),
      }),
      ...(shownFilters.keyId !== undefined && {
        keyId: ids.encode('api_key', caller.tenantId as number, shownFilters.keyId),
      }),
    };
    const input = { format, filters, shownFilters: encoded, after: anchor, last: head };
    const job = await identityJobs.start(tx.sql, { kind: auditExportKind, permission: 'audit:read', caller, input });
    await schedule(exportAuditLogJob, [{ jobId: job.jobId }]);
    emit(auditExportRequested, { data: { jobId: job.jobId, format }, record: { id: job.jobId } });
    return job;
  };

const sandboxOnly = { environment: 'sandbox' } as const;

type ExportFilterIds = { [field in 'actorId' | 'onBehalfOfId' | 'keyId']?: number | undefined };

/**
 * Rejects unknown ids, because a file that is empty due to a mistyped id would look like proof that nothing was done.
 */
async function checkFilters(tx: Tx, filters: ExportFilterIds) {
  const errors: FieldError[] = [];
  for (const field of ['actorId', 'onBehalfOfId'] as const) {
    const id = filters[field];
    if (id !== undefined && !(await tx.user.count({ where: { id } })))
      errors.push({ field: `filters.${field}`, message: unknownId('user') });
  }
  const { keyId } = filters;
  if (keyId !== undefined && !(await tx.apiKey.count({ where: { id: keyId } })))
    errors.push({ field: 'filters.keyId', message: unknownId('api_key') });
  if (errors.length) throw fail('validation_failed', errors);
}
