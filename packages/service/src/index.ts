// Runs a service from its contract and handlers: caller verification, parsing, transactions, replies, errors, health,
// shutdown.

export { ApiError, fail, failField, transitionError } from './api-error.ts';
export { backgroundJobs, type FoundJob, type JobLink } from './background-jobs.ts';
export { bulkItemOperation, bulkOperation } from './bulk/bulk-operation.ts';
export { bulkOperations } from './bulk/bulk-operations.ts';
export { type Assignee, checkUser, type Users } from './check-user.ts';
export { type JsonObject, storedObject, toJsonColumn } from './columns.ts';
export { createService, type RunningService } from './create-service.ts';
export { type Cell, toCsv } from './csv.ts';
export { diff } from './diff.ts';
export { requireFeature } from './features.ts';
export type {
  Actor,
  Context,
  FormHandler,
  Handler,
  Handlers,
  IncomingFile,
  InTenant,
  Result,
  Under,
} from './handler.ts';
export type { Maintenance, Purge } from './housekeeping.ts';
export { followLeadMerges } from './lead-merges/follow-lead-merges.ts';
export { currentLeads, type Place } from './lead-merges/merged-leads.ts';
export { type List, type Listable, type ListFilter, listedIds, type PageResult } from './list.ts';
export { namesHandler } from './names.ts';
export { ownedRecords } from './owned-work/owned-records.ts';
export { ownedWork } from './owned-work/owned-work.ts';
export {
  addressPattern,
  type Erasing,
  exportSection,
  mentionPattern,
  mentionTest,
  type PersonalData,
  personalData,
  type Sweep,
} from './personal-data.ts';
export type { SealedColumn } from './re-encrypt.ts';
export { asService, type Reach, reachOf, withPermissions } from './reach.ts';
export { readFields } from './read-fields.ts';
export { storedBodyErrors, storedQueryErrors } from './read-request.ts';
export { type ExportedList, readRecordPage, recordPagesHandler } from './record-pages.ts';
export { contentDisposition } from './serve-media.ts';
export type { ServiceDefinition } from './service-definition.ts';
export { type ServiceSettings, serviceSettings } from './settings.ts';
export { startService } from './start-service.ts';
export { defaultTeam, teamOfAssignee } from './team-of-assignee.ts';
export { isRemoved, removeTenantJob, type TenantRemoval } from './tenant-life.ts';
export { createTotals, type Totals } from './totals.ts';
