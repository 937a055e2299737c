import { text } from '@tandem/contract';
import { z } from 'zod';

/** The events that a config acts on, for the settings of connectors. */
export const Events = z
  .array(text(100), { error: 'Must be a list of event names' })
  .min(1, 'Must contain at least one event')
  .max(100, 'Must contain at most 100 events')
  .describe('The events to act on: names such as `lead.created`, patterns such as `lead.*`, or `*`');
