import type { sequences } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createSequence } from './create-sequence.ts';
import { listSequences } from './list-sequences.ts';

export const sequenceHandlers = (tools: Pick<Tools, 'identity'>) =>
  ({ createSequence: createSequence(tools), listSequences }) satisfies Handlers<typeof sequences, Tx>;
