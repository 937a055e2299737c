import type { Handlers } from '@tandem/service';
import type { scorm } from '@tandem/training-contract';
import type { Tools, Tx } from '../../handler.ts';
import { commitScormData } from './commit-scorm-data.ts';
import { launchLesson } from './launch-lesson.ts';
import { serveScormContent } from './player/serve-scorm-content.ts';
import { serveScormRuntime } from './player/serve-scorm-runtime.ts';
import { showScormPlayer } from './player/show-scorm-player.ts';

export const scormHandlers = (tools: Tools) =>
  ({
    launchLesson: launchLesson(tools),
    showScormPlayer: showScormPlayer(tools),
    serveScormRuntime: serveScormRuntime(tools),
    serveScormContent: serveScormContent(tools),
    commitScormData: commitScormData(tools),
  }) satisfies Handlers<typeof scorm, Tx>;
