import type { portalTraining } from '@tandem/training-contract';
import type { Handler, Tools } from '../../handler.ts';
import { lockLearning, partnerOf } from '../progress/lock-learning.ts';
import { type FoundPackage, findPackage, launch } from '../scorm/launch.ts';

export const launchPortalLesson = (tools: Tools): Handler<typeof portalTraining.launchPortalLesson, FoundPackage> => ({
  check: ({ params, caller, tx }) => findPackage(tools, { tx, caller }, params.lessonId),
  async run({ params, caller, tx, emit, schedule, found }) {
    const learning = await lockLearning({ tx, caller, mayLearn: partnerOf(caller) }, params);
    return launch(tools, { tx, emit, schedule, caller }, { learning, found });
  },
});
