import { z } from 'zod';
import type { ResourceType } from './id.ts';

/**
 * Something that happened to a resource. `data` is the webhook payload that customers receive, `record` the whole
 * resource for consumers inside the fleet. `group` adds the event to the public webhook catalogue; without it the event
 * is internal.
 */
export interface EventDef<
  Name extends string = string,
  Data extends z.ZodType = z.ZodType,
  Rec extends z.ZodType = z.ZodType,
> {
  name: Name;
  group?: string;
  /**
   * The permission to read the record of a catalogued event, such as `leads:read`. Data of the event is neither shown
   * to nor sent on behalf of a caller who lacks it, or who has it for own or team records only.
   */
  readPermission?: `${string}:${string}`;
  description: string;
  /** The action in the audit log: `lead.update`. */
  action: string;
  /** The type of the resource it happened to; its id is `record.id`. */
  target: ResourceType;
  /** False for high-volume telemetry events, which record an observation instead of a change: no audit entry. */
  audited?: false;
  /**
   * `failure` when the event reports a failed attempt, `refused` when the caller lacked a permission; the audit log
   * shows it as the outcome.
   */
  outcome?: 'failure' | 'refused';
  data: Data;
  record: Rec;
  /** An example of `data` as a customer sees it; used by the catalogue and webhook tests. */
  example?: z.input<Data>;
  /**
   * Wire values for fields that events of an earlier release lack. Required for every new field that is required and
   * not nullable; a missing nullable field is read as null.
   */
  whenMissing?: { data?: Partial<z.input<Data>>; record?: Partial<z.input<Rec>> };
}

/** The data that a handler passes to `emit`. */
export type EventData<E extends EventDef> = z.output<E['data']>;
/** The record that a handler passes to `emit`. */
export type EventRecord<E extends EventDef> = z.output<E['record']>;

/**
 * Declares an event.
 * @throws when the name is not `<resource>.<what_happened>`, or a catalogued event has no example or no permission
 */
export function event<const Name extends string, Data extends z.ZodType, Rec extends z.ZodType>(
  name: Name,
  def: Omit<EventDef<Name, Data, Rec>, 'name'>,
): EventDef<Name, Data, Rec> {
  if (!/^[a-z_]+(\.[a-z_]+)+$/.test(name))
    throw new Error(`The name of an event must have the form <resource>.<what_happened>, not ${name}`);
  if (def.group && def.example === undefined)
    throw new Error(`The event ${name} has a group, so it requires an example`);
  if (def.group && !def.readPermission)
    throw new Error(`The event ${name} has a group, so it requires a readPermission`);
  return { name, ...def };
}

/** The number of an event, which webhooks receive in its data. */
export const EventSequence = z
  .int()
  .positive()
  .meta({
    description:
      'Rises with each event of the record: of two events of a record, the one with the higher number happened later. Numbers have gaps, and those of different records are not related. Absent in events from before this field existed.',
    examples: [4711],
  });

/**
 * The schema of the data that webhooks receive: the data of the event, with its number.
 * @throws when the data of the event is not an object
 */
export function deliveredData({ name, data }: EventDef): z.ZodObject {
  if (!(data instanceof z.ZodObject)) throw new Error(`The data of ${name} must be an object`);
  return data.extend({ sequence: EventSequence.optional() });
}
