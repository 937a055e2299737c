// The interface by which a connector reads records of the connected system and writes copies of events to it.
import type { Call, FieldMapping, Secret, Sockets } from './calling.ts';

/** The fields of an account (company), as `POST /v1/accounts` takes them. */
export interface AccountFields {
  name: string;
  domain?: string | null;
  [field: string]: unknown;
}

/** The fields of a lead, as `POST /v1/leads` takes them. */
export interface LeadFields {
  email: string;
  firstName: string;
  lastName: string;
  [field: string]: unknown;
}

/** The fields of an opportunity (deal), as `POST /v1/opportunities` takes them. */
export interface OpportunityFields {
  name: string;
  [field: string]: unknown;
}

/** The fields that an event has in every calendar. Dates are in ISO 8601. */
export interface CalendarFields {
  title: string;
  description: string | null;
  startAt: string;
  endAt: string;
  timezone: string;
  allDay: boolean;
  location: string | null;
  joinUrl: string | null;
  visibility: 'default' | 'private';
  /** A rule of RFC 5545 without `RRULE:`. */
  recurrence: string | null;
}

interface Shared {
  /** The id of the record in the connected system. */
  id: string;
  /** Changes whenever the record changes there, such as an ETag or the time of its last change. */
  version: string;
  /** Whether the record was deleted there. */
  isDeleted?: boolean;
  /** The record as the system returned it, from which field mappings read. */
  source: Record<string, unknown>;
}

/** A record of the connected system. References are ids of that system. */
export type ExternalRecord =
  | (Shared & { kind: 'account'; fields: AccountFields })
  | (Shared & { kind: 'lead'; fields: LeadFields; accountRef?: string | null })
  | (Shared & {
      kind: 'opportunity';
      fields: OpportunityFields;
      accountRef?: string | null;
      leadRef?: string | null;
      outcome: 'open' | 'won' | 'lost';
    })
  | (Shared & {
      kind: 'calendar_event';
      fields: CalendarFields;
      /** The addresses of the other attendees. */
      attendees: string[];
      /** The series in which the event replaces one occurrence, and the time at which the series has it. */
      occurrence?: { seriesId: string; originalStartAt: string };
      /** The id of the platform's event that the record is a copy of, as the connector wrote it there. */
      copyOf?: string | null;
    })
  | (Shared & {
      kind: 'mail';
      /** The header of a message (RFC 5322), or its beginning, and when the mailbox received it. */
      fields: { header: string; receivedAt: string };
    })
  | (Shared & {
      kind: 'activity';
      /** The address of the lead that the activity is about. */
      leadEmail: string | null;
      fields: { subject: string; body: string | null; occurredAt: string };
    });

export type RecordKind = ExternalRecord['kind'];

/** How far a sync has got, in the form of the connector. It is stored as JSON. */
export type Cursor = Record<string, unknown>;

/** One part of what a sync reads. */
export interface SyncPage {
  records: ExternalRecord[];
  /** Where the next page begins; after the last one, where the next run begins. */
  cursor: Cursor;
  isLast: boolean;
}

export interface SyncContext {
  call: Call;
  secret: Secret;
  sockets: Sockets;
  settings: Record<string, unknown>;
  /** null to begin again with all records. */
  cursor: Cursor | null;
  /** How many records are needed, for a connector that makes a request for each of them. */
  limit?: number;
  /** For mappings of fields, so that a connector can request the fields that they read. */
  fieldMappings: readonly FieldMapping[];
}

/** Thrown when the connected system does not know the cursor any more, so that the run begins again with all records. */
export class CursorExpiredError extends Error {}

/** The copy of an event in the connected calendar. */
export interface Copy {
  externalId: string;
  version: string;
}

/** An event of the platform that is written to the connected calendar. */
export interface OutgoingEvent {
  /** The public id of the event. A repeated creation with the same id makes one copy. */
  id: string;
  fields: CalendarFields;
  status: 'scheduled' | 'completed' | 'cancelled';
  /** The other attendees with an address. The connected system must not invite them again. */
  attendees: { email: string; name: string | null }[];
  /** The copy of the series, and the original start, if the event replaces one occurrence of it. */
  occurrence?: { seriesId: string; originalStartAt: string };
}

/** How the records of a connected system reach the platform, and, for calendars, the other way. */
export interface Sync {
  /** The kinds of records that a run writes, with these settings. */
  kinds(settings: Record<string, unknown>): readonly RecordKind[];
  /** The minutes between two runs by default. */
  everyMinutes: number;
  /**
   * Reads the next records, at most 100. References point to records of the same page before it, of earlier pages, or of
   * earlier runs.
   * @throws CallError
   * @throws CursorExpiredError
   */
  read(context: SyncContext): Promise<SyncPage>;
  /**
   * The part of the connected system that the settings choose, such as a calendar, if ids of records are unique only within
   * it, or if records of other parts must not be taken for deleted ones.
   */
  scope?(settings: Record<string, unknown>): string;
  /**
   * Whether a record was deleted. After a run from the beginning, which is not told of earlier deletions, it is called for
   * the linked records that the run has not read.
   * @throws CallError
   */
  isGone?(context: Pick<SyncContext, 'call' | 'settings'>, externalId: string): Promise<boolean>;
  /** The record of a deleted one, of which only the id is known. */
  deleted?(externalId: string): ExternalRecord;
  /** Writes events of the platform. Calls may be repeated. */
  push?: {
    /** Whether the settings want it. */
    isWanted(settings: Record<string, unknown>): boolean;
    /**
     * Creates or replaces the copy of an event.
     * @returns the copy, read like a record of `read`
     * @throws CallError
     */
    put(
      context: Pick<SyncContext, 'call' | 'settings'>,
      event: OutgoingEvent,
      copy: Copy | null,
    ): Promise<Extract<ExternalRecord, { kind: 'calendar_event' }>>;
    /** Deletes a copy; one that does not exist is no failure. */
    remove(context: Pick<SyncContext, 'call' | 'settings'>, copy: Copy): Promise<void>;
  };
}
