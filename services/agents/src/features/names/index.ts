import type { internalNames } from '@tandem/agents-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { nameAgents } from './name-agents.ts';

export const nameHandlers = { nameAgents } satisfies Handlers<typeof internalNames, Tx>;
