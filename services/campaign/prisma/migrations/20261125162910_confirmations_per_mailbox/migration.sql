-- AlterTable
ALTER TABLE "form_submission" ADD COLUMN     "mailbox" TEXT;
