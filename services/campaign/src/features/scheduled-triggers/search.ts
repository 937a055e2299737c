import type { NodeData } from '@tandem/campaign-contract';
import type { Tools, Tx } from '../../handler.ts';
import type { LeadRecord } from '../engine/facts.ts';
import type { Entrance } from '../workflows/enterable.ts';

/** A search of a trigger for leads. */
export interface Search {
  entrance: Entrance;
  data: NodeData<'trigger'>;
  tenantId: number;
  /** After this time, and until `until`. */
  from: Date;
  until: Date;
  /** Where the search continues: the part of it, and the last lead of the previous page. */
  part: number;
  after: number | null;
  /** How many leads were examined before. */
  seen: number;
  /** The first run, which only remembers what is there. */
  isFirst: boolean;
  as: { tenantId: number; environment: 'live' | 'sandbox'; requestId: string };
}

/** A page of leads. */
export interface Page {
  leads: readonly { lead: LeadRecord; event: string; payload?: object }[];
  seen: number;
  /** Where the search continues; null at the end. */
  next: { part: number; after: number | null } | null;
  /** Recorded with the enrollments. */
  remember?: (tx: Tx) => Promise<void>;
}

export type Find = (tools: Tools, tx: Tx, search: Search) => Promise<Page>;
