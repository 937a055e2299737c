import type { FieldError, ResourceType } from '@tandem/contract';
import type { ExternalRecord, RecordKind } from '../../connectors/sync.ts';
import type { Tools } from '../../handler.ts';
import type { As } from './acting-user.ts';

/** The context in which a target writes a record of one connection. */
export interface TargetContext extends Pick<Tools, 'crm' | 'campaign'> {
  /** The user in whose name the record is written. */
  as: As;
  /** An idempotency key that is unique for the connection and the record. */
  key: string;
  /** Whether records that exist are updated. */
  updateExisting: boolean;
  /** The record of the platform that another record of the connected system is linked to. */
  resolve(kind: RecordKind, externalId: string): number | undefined;
  /** Decodes a public id that settings name; undefined if it is no id of this type in the tenant. */
  idOf(type: ResourceType, publicId: string): number | undefined;
  /** The digest of the linked record at the last sync, in either direction, for records that are written in both. */
  seenHash: string | null;
  /** The settings of the config. */
  settings: Record<string, unknown>;
  /** Whether changes of the platform are written to the connected system. */
  isPushed: boolean;
}

/** Why the record of a link is skipped when it does not exist any more: it was deleted, and is not created again. */
export const recordDeleted = 'record_deleted';

/** The effect of a record. */
export interface Outcome {
  action: 'created' | 'updated' | 'deleted' | 'unchanged' | 'skipped';
  /** The record that was written, which is linked from then on. */
  recordId?: number;
  /** A digest of the record as it is then, for records that are also written to the connected system. */
  recordHash?: string;
  /** Why it was skipped, or which fields were left out. */
  reason?: string;
}

export type RecordOf<Kind extends RecordKind> = Extract<ExternalRecord, { kind: Kind }>;

/** Writes the records of one kind to the service that owns them. */
export interface Target<Kind extends RecordKind> {
  kind: Kind;
  /** The permissions that the acting user needs. */
  permissions: readonly string[];
  /**
   * Writes a record that is new, or whose content has changed. It may be repeated.
   * @param linkedId the record that it is linked to
   * @throws ServiceCallError when the service refuses it, or is unreachable
   */
  write(context: TargetContext, record: RecordOf<Kind>, linkedId: number | undefined): Promise<Outcome>;
  /** The errors for which the service would refuse the record, which is not written then. */
  check(record: RecordOf<Kind>): FieldError[];
  /** Why a record is skipped, or which of its fields are left out, for a preview. */
  warnings?(record: RecordOf<Kind>): FieldError[];
}
