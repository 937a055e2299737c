import type { counts } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { getCounts } from './get-counts.ts';

export const countHandlers = (tools: Tools) => ({ getCounts: getCounts(tools) }) satisfies Handlers<typeof counts, Tx>;
