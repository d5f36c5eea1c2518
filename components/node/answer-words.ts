import type { NodeSummary } from "@/server/http/schemas";

/** The answer as the page's one sentence. */
export function answerSentence(node: Pick<NodeSummary, "name" | "answer">): string {
  const { state, atRisk, idle } = node.answer;
  if (state === "no") return `No. ${node.name} cannot start a pod now.`;
  if (state === "unknown") return `Unknown whether ${node.name} can start a pod now.`;
  if (atRisk) return `Yes, at risk. ${node.name} starts some pods now.`;
  if (idle) return `Yes, idle. ${node.name} could start a pod now.`;
  return `Yes. ${node.name} can start a pod now.`;
}
