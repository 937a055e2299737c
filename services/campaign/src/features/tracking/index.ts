import type { tracking } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { trackClick } from './track-click.ts';
import { trackOpen } from './track-open.ts';

export const trackingHandlers = (tools: Tools) =>
  ({ trackOpen: trackOpen(tools), trackClick: trackClick(tools) }) satisfies Handlers<typeof tracking, Tx>;
