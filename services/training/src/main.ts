import { startService } from '@tandem/service';
import { settings } from './config.ts';
import { trainingService } from './service.ts';

startService(trainingService(settings));
