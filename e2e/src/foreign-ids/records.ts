import type { IdKind } from '@tandem/contract';
import type { IdCodec } from '@tandem/ids';
import type { Direct, Scope } from './direct.ts';

/** The id of one record of each resource type. */
export type Records = Partial<Record<IdKind, number>>;

/** The records of a tenant that live and sandbox share. */
export interface SharedRecords {
  tenantId: number;
  userId: number;
  email: string;
  fullKey: string;
  records: Records;
}

/** A tenant in one environment, with a record of each type. Filters by these records find others. */
export interface World {
  scope: Scope;
  records: Records;
  /** The records that live and sandbox do not share. */
  separate: Records;
  email: string;
  portalEmail: string;
  /** A lead that is not converted and not referred. */
  openLead: number;
  openOpportunity: number;
  /** An account whose parent is the account of the records. */
  subsidiary: number;
  /** A segment by conditions; that of the records names its leads. */
  filterSegment: number;
  /** An import of accounts; that of the records is one of leads. */
  accountImport: number;
  /** The job of a rebuild of the search, which other jobs are not. */
  reindexJob: number;
  opportunityImport: number;
  /** A course that the partner has completed. */
  completedCourse: number;
  /** Co-marketing material by its source. */
  materials: { file: number; landingPage: number; campaign: number };
}

/** The parameters for creating records. */
export interface Setup {
  direct: Direct;
  ids: IdCodec;
  /** Where webhooks deliver to. */
  receiverUrl: string;
}
