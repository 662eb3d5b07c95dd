/** A moment as a field of the type `datetime-local` has it: in the viewer's zone, to the minute. */
export function localInput(moment: number): string {
  const at = new Date(moment);
  return new Date(moment - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
