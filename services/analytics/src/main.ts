import { startService } from '@tandem/service';
import { settings } from './config.ts';
import { analyticsService } from './service.ts';

startService(analyticsService(settings));
