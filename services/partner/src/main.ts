import { startService } from '@tandem/service';
import { settings } from './config.ts';
import { partnerService } from './service.ts';

startService(partnerService(settings));
