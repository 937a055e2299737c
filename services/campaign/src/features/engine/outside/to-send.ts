import type { Tools } from '../../../handler.ts';
import type { Facts } from '../facts.ts';
import type { GraphNode } from '../graph.ts';
import type { Ready } from '../read-batch.ts';

/** A node with an effect outside of the database that an execution has reached. */
export interface ToSend {
  due: Ready;
  node: GraphNode;
  /** The number of the step, the same when it is repeated. */
  step: number;
  facts: Facts;
}

/** When the execution reached the node: in this walk, or in an earlier run that could not make the effect yet. */
export function reachedAt({ due, step, facts }: Pick<ToSend, 'due' | 'step' | 'facts'>): Date {
  return step === due.step ? due.enteredAt : facts.now;
}

export type SendTools = Pick<
  Tools,
  | 'mailer'
  | 'domainPerMinuteMax'
  | 'sms'
  | 'smsPerDayMax'
  | 'tracking'
  | 'publicUrl'
  | 'seal'
  | 'settingsOf'
  | 'ids'
  | 'renderer'
>;

/** The values of the tenant for the texts of a message. */
export interface Locale {
  locale: string;
  tenantName: string;
}
