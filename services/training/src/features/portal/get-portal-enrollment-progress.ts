import type { portalTraining } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { readProgress } from '../progress/read-progress.ts';
import { readOwnEnrollment } from './partner.ts';

export const getPortalEnrollmentProgress: Handler<typeof portalTraining.getPortalEnrollmentProgress> = async ({
  params,
  caller,
  tx,
}) => readProgress(tx, await readOwnEnrollment(tx, params.id, caller));
