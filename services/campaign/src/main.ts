import { startService } from '@tandem/service';
import { settings } from './config.ts';
import { campaignService } from './service.ts';

startService(campaignService(settings));
