import type { tracking } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { touchRecorder } from './touch-recorder.ts';
import { trackClick } from './track-click.ts';
import { trackOpen } from './track-open.ts';

export function trackingHandlers(tools: Pick<Tools, 'ids' | 'tracking'>) {
  const record = touchRecorder(tools);
  return { trackOpen: trackOpen(tools, record), trackClick: trackClick(tools, record) } satisfies Handlers<
    typeof tracking,
    Tx
  >;
}
