import type { Lead } from '@tandem/crm-contract';
import type { z } from 'zod';
import type { GraphNode } from './graph.ts';

export type LeadRecord = z.output<typeof Lead>;

/** Something that a person did: the last time for each message node. */
export interface Deed {
  type: string;
  nodeId: string | null;
  at: Date;
}

/** The earlier messages and waits of an execution. They decide which deeds end its next wait for an event. */
export interface History {
  /** When its last message was sent; null without one. */
  messageAt: Date | null;
  /** When it last left each node that waits, for a time or for an event. */
  leftAt: ReadonlyMap<string, Date>;
}

/** The data that nodes read when an execution continues. */
export interface Facts {
  now: Date;
  lead: LeadRecord;
  /** The time zone that applies to the execution. */
  timezone: string;
  /** Actions of the lead since the execution began, without those of software such as link scanners. */
  deeds: readonly Deed[];
  history: History;
  /** The payload of the trigger. */
  payload: Record<string, unknown>;
  /** Public ids of the segments that have the lead, of those for which conditions ask. */
  segments: ReadonlySet<string>;
}

/** Where an execution is. */
export interface Position {
  executionId: number;
  workflowId: number;
  nodeId: string;
  /** The number of the step at this node. */
  step: number;
  enteredAt: Date;
  /** Whether the execution waits at this node and its time has come, or its event has. */
  isWoken: boolean;
}

/** The decision of a node. */
export type Visit =
  /** The execution continues with the next node, by a branch if the node has several. */
  | { does: 'next'; branch?: string; result?: object; skipReason?: string }
  /** It stays until a time, or until the lead does something. */
  | { does: 'wait'; until: Date; waitsFor?: string; result?: object }
  | { does: 'end'; status: 'completed' | 'exited'; reason: string }
  /** It needs something outside of the database, such as sending a message: see `outside/`. */
  | { does: 'outside' };

/** How a type of node acts. Pure: it reads only what it is given. */
export type NodeKind = (node: GraphNode, facts: Facts, position: Position) => Visit;
