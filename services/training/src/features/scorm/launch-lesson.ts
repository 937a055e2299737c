import type { scorm } from '@tandem/training-contract';
import type { Handler, Tools } from '../../handler.ts';
import { learnerOrTeacher, lockLearning } from '../progress/lock-learning.ts';
import { type FoundPackage, findPackage, launch } from './launch.ts';

export const launchLesson = (tools: Tools): Handler<typeof scorm.launchLesson, FoundPackage> => ({
  check: ({ params, caller, tx }) => findPackage(tools, { tx, caller }, params.lessonId),
  async run({ params, caller, tx, emit, schedule, found }) {
    const learning = await lockLearning({ tx, caller, mayLearn: learnerOrTeacher(caller) }, params);
    return launch(tools, { tx, emit, schedule, caller }, { learning, found });
  },
});
