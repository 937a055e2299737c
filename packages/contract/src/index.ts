// The vocabulary of service contracts: operations, events, ids and shared fields.

export {
  BackgroundJob,
  isOfJob,
  type JobService,
  JobStarted,
  JobStatus,
  jobErrorOperations,
  jobNumber,
  jobOf,
  jobOperations,
  jobStartedMessage,
  nowOrJob,
  type OrJob,
  orJob,
} from './background-jobs.ts';
export {
  BulkOutcome,
  BulkReply,
  BulkResult,
  bulkErrors,
  bulkFilterMax,
  bulkIdsMax,
  bulkItemErrors,
  bulkItems,
  bulkItemsBodyMax,
  bulkItemsReply,
  bulkSelection,
  listFilters,
} from './bulk.ts';
export { type CookieAttributes, cookieHeader, readCookies, setCookieHeader } from './cookies.ts';
export { shapesOf, withShapes } from './documented-shapes.ts';
export { comparableDomain, domain } from './domain.ts';
export { encodeOnce } from './encode.ts';
export {
  type Envelope,
  envelope,
  errorEnvelope,
  type Facets,
  type FieldError,
  type Pagination,
  type Warning,
} from './envelope.ts';
export { knownErrors, sharedErrors } from './errors.ts';
export {
  deliveredData,
  type EventData,
  type EventDef,
  type EventRecord,
  EventSequence,
  event,
} from './event.ts';
export { exportPage, exportPageMax } from './export-page.ts';
export {
  addonFeatures,
  type Feature,
  FeatureKey,
  featureKeys,
  features,
  lowestPlanWith,
  missingFeature,
  planFeatures,
} from './features.ts';
export { code, email, exceedsBytes, freeForm, name, phone, requiredText, text, timestamp, timeZone } from './fields.ts';
export {
  assigneeFilter,
  type IdKind,
  type IdUnion,
  id,
  idInText,
  idList,
  idsInText,
  idUnions,
  isIdList,
  isIdUnion,
  isOfPlatform,
  me,
  type ResourceType,
  resourceNoun,
  resourceNumber,
  resourceTypes,
  unionMember,
  unionNumber,
  unknownId,
} from './id.ts';
export { dropUnknownFields, idPathsVersion, unknownFields } from './known-fields.ts';
export {
  ConditionOperator,
  conditionFields,
  conditionOperators,
  LeadCondition,
  type LeadConditionValue,
  selectConditionsMax,
  selectedLeadsMax,
  writableCondition,
} from './lead-conditions.ts';
export {
  facetedPage,
  flag,
  isFacetedPage,
  isPage,
  listQuery,
  type Paged,
  type PagedOr,
  page,
  pageItem,
  pageOr,
  pageOrOther,
  viewResource,
  wholeNumber,
} from './list.ts';
export { mailboxOf } from './mailbox.ts';
export { compilePaths } from './match.ts';
export {
  type ByteRange,
  isEventStream,
  isRedirect,
  media,
  mediaOf,
  type RangedContent,
  redirect,
  type Served,
} from './media.ts';
export { amount, amountMax, currency, fromMinor, iban, misfit, toMinor } from './money.ts';
export { includesOf, type NamedType, namedTypes, nameRecords, namesMax, namesPath } from './names.ts';
export { countsOpenWork, type OpenWork, openWorkOperation, workKinds } from './open-work.ts';
export {
  type Audience,
  type BodyStream,
  type ErrorCodes,
  type FurtherPermission,
  isForBrowsers,
  neededPermissions,
  needsPermission,
  type Operation,
  type Operations,
  operations,
  type PortalRoleName,
  permissionsByField,
  portalRoles,
  portalRolesOf,
  type RawBody,
  type Row,
  replyStatus,
  signedIn,
  takesIdempotencyKey,
} from './operation.ts';
export { fillPath, pathParameters } from './path.ts';
export { isPerformable, isPerformableByUsers, PerformedCall } from './performed.ts';
export {
  actions,
  allows,
  grantOf,
  isPermission,
  permissionResources,
  plainPermissions,
  teamResources,
} from './permissions.ts';
export {
  ErasedCounts,
  ExportSection,
  exportSectionMax,
  Person,
  type PersonalDataService,
  personalDataErased,
  personalDataErasureRequested,
  personalDataOperations,
  personalDataServices,
  type StoredSection,
} from './personal-data.ts';
export { Environment, type Plan, PlanCode, planCodes, planCurrency, plans } from './plans.ts';
export { reversedRanges, withOrderedRanges } from './ranges.ts';
export { rebuildPage } from './rebuild-page.ts';
export { parentFilters, recordFilters, recordPageMax, recordPages } from './record-pages.ts';
export { redact, redacted, type SecretPath, secret, secretPaths } from './secrets.ts';
export { StateTable, stateTable } from './state-table.ts';
export {
  tenantDataRemoved,
  tenantDeletionDue,
  tenantDeletionScheduled,
  tenantResumed,
  tenantSuspended,
} from './tenant-life.ts';
export { type Definition, type IdPath, idTypeOf, type SchemaNode, unwrap, walkIds } from './walk.ts';
